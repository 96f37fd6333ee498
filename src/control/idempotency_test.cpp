// What a repeated request is told, by each service that makes something.
#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using namespace std::chrono_literals;
using async::Task;
using model::MadeState;
using model::SessionState;

Task<Once> once(Plane* plane, std::string key, std::string fingerprint = "f") {
  auto begun = co_await plane->control->idempotency().begin(
      {}, {.key = std::move(key), .fingerprint = std::move(fingerprint)});
  EXPECT_TRUE(begun.has_value()) << begun.error().to_string();
  co_return begun ? std::move(*begun) : Once();
}

Task<Code> code_of_begin(Plane* plane, std::string key, std::string fingerprint = "f") {
  auto begun = co_await plane->control->idempotency().begin(
      {}, {.key = std::move(key), .fingerprint = std::move(fingerprint)});
  co_return begun ? Code::kOk : begun.error().code();
}

CreateRequest shell() { return {.template_id = "shell-default"}; }

Task<void> claims(Plane* plane) {
  {
    Once first = co_await once(plane, "k");
    EXPECT_TRUE(first.active());
    EXPECT_FALSE(first.earlier());
    EXPECT_EQ(co_await code_of_begin(plane, "k"), Code::kConflict) << "the first one still runs";
    EXPECT_EQ(co_await code_of_begin(plane, "other"), Code::kOk);
  }
  EXPECT_EQ(co_await code_of_begin(plane, "k"), Code::kOk) << "it made nothing";
  Once again = co_await once(plane, "k");
  auto made = co_await plane->control->session_maker().create({}, shell(), std::move(again));
  EXPECT_TRUE(made.has_value());
  EXPECT_EQ(co_await code_of_begin(plane, "k", "another body"), Code::kIdempotencyMismatch);
  auto stranger = co_await plane->control->idempotency().begin(
      {.tenant = "other"}, {.key = "k", .fingerprint = "another body"});
  EXPECT_TRUE(stranger && !stranger->earlier()) << "keys belong to tenants";
  // Both may be told at the same time.
  Once one = co_await once(plane, "k");
  Once two = co_await once(plane, "k");
  EXPECT_TRUE(one.earlier() && two.earlier());
  plane->clock->advance(24h);
  EXPECT_TRUE((co_await once(plane, "k")).earlier());
  plane->clock->advance(1s);
  EXPECT_FALSE((co_await once(plane, "k")).earlier()) << "after 24 hours it is forgotten";
}

Task<void> accepted_session(Plane* plane) {
  SessionMaker& maker = plane->control->session_maker();
  auto first = co_await maker.create({}, shell(), co_await once(plane, "k"));
  EXPECT_EQ(first->state, MadeState::kAccepted);
  EXPECT_FALSE(first->replayed);
  SessionId id = first->value.id;
  EXPECT_TRUE((co_await plane->control->sessions().use({}, id)).has_value());  // it is ready now
  auto again = co_await maker.create({}, shell(), co_await once(plane, "k"));
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->state, MadeState::kAccepted);
  EXPECT_EQ(again->value.id, id);
  EXPECT_EQ(again->value.state, SessionState::kCreating) << "what the first one was told";
  EXPECT_EQ(again->value.updated_at, first->value.updated_at);
  EXPECT_FALSE(again->value.expires_at);
  EXPECT_TRUE((co_await plane->control->session_ender().remove({}, id)).has_value());
  again = co_await maker.create({}, shell(), co_await once(plane, "k"));
  EXPECT_EQ(again->value.id, id);
  EXPECT_EQ(again->value.state, SessionState::kTerminated) << "what became of it";
}

Task<void> ready_session(Plane* plane) {
  SessionMaker& maker = plane->control->session_maker();
  CreateRequest request = shell();
  request.wait = 60s;
  request.session_key = "chat";
  auto first = co_await maker.create({}, request, co_await once(plane, "k"));
  EXPECT_EQ(first->state, MadeState::kDone);
  EXPECT_EQ(first->value.state, SessionState::kReady);
  auto again = co_await maker.create({}, request, co_await once(plane, "k"));
  EXPECT_EQ(again->state, MadeState::kDone);
  EXPECT_EQ(again->value.expires_at, first->value.expires_at);
  for (bool replayed : {false, true}) {
    auto found = co_await maker.create({}, request, co_await once(plane, "k2"));
    EXPECT_EQ(found->state, MadeState::kFound);
    EXPECT_EQ(found->value.id, first->value.id);
    EXPECT_EQ(found->replayed, replayed);
  }
}

Task<void> executions(Plane* plane) {
  Executions& service = plane->control->executions();
  SessionId id = co_await make_session(plane);
  ExecuteRequest request{.shell_command = "echo $$"};
  auto until = async::deadline_in(60s);
  auto first = co_await service.execute({}, id, request, until, co_await once(plane, "waits"));
  auto again = co_await service.execute({}, id, request, until, co_await once(plane, "waits"));
  EXPECT_EQ(first->state, MadeState::kDone);
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->value.id, first->value.id);
  EXPECT_EQ(again->value.output.stdout_bytes, first->value.output.stdout_bytes);
  EXPECT_NE(first->value.output.stdout_bytes, "");
  request = {.shell_command = "read line", .stdin_open = true};
  first = co_await service.execute({}, id, request, std::nullopt, co_await once(plane, "goes"));
  EXPECT_EQ(first->state, MadeState::kAccepted);
  again = co_await service.execute({}, id, request, std::nullopt, co_await once(plane, "goes"));
  EXPECT_EQ(again->value.id, first->value.id);
  EXPECT_EQ(again->value.state, model::ExecutionState::kQueued) << "as it was accepted";
  EXPECT_TRUE((co_await plane->control->session_ender().remove({}, id)).has_value());
  again = co_await service.execute({}, id, request, std::nullopt, co_await once(plane, "goes"));
  EXPECT_EQ(again->state, MadeState::kAccepted) << "it is over, and so is its session";
  EXPECT_EQ(again->value.id, first->value.id);
  EXPECT_EQ(again->value.state, model::ExecutionState::kQueued) << "as it was accepted";
}

Task<void> gone(Plane* plane) {
  Control& control = *plane->control;
  auto first = co_await control.templates().add({}, "mine", {}, co_await once(plane, "t"));
  EXPECT_FALSE(first->replayed);
  auto again = co_await control.templates().add({}, "mine", {}, co_await once(plane, "t"));
  EXPECT_TRUE(again && again->replayed);
  EXPECT_TRUE((co_await control.templates().remove({}, "mine")).has_value());
  again = co_await control.templates().add({}, "mine", {}, co_await once(plane, "t"));
  EXPECT_EQ(again.error().code(), Code::kNotFound) << "not made again";
  EXPECT_FALSE(control.templates().find("mine"));
  SessionId id = co_await make_session(plane);
  OpenContextRequest bash{.language = "bash"};
  auto opened = co_await control.executions().open_context({}, id, bash, co_await once(plane, "c"));
  auto same = co_await control.executions().open_context({}, id, bash, co_await once(plane, "c"));
  EXPECT_TRUE(same && same->replayed);
  EXPECT_EQ(same->value.id, opened->value.id);
  EXPECT_EQ(same->value.version, opened->value.version);
  EXPECT_TRUE((co_await control.executions().close_context({}, id, opened->value.id)).has_value());
  same = co_await control.executions().open_context({}, id, bash, co_await once(plane, "c"));
  EXPECT_EQ(same.error().code(), Code::kNotFound);
}

// Of the store of the test that runs: how many writes named what a key made, and with what.
struct Writes {
  int alone = 0;
  int together = 0;
};
Writes* writes = nullptr;

Task<Result<void>> count(const std::vector<store::Change>* changes) {
  bool named = false;
  bool more = false;
  for (const store::Change& change : *changes) {
    bool is_key = std::holds_alternative<store::PutIdempotency>(change);
    named = named || is_key;
    more = more || (!is_key && !std::holds_alternative<store::AddAudit>(change));
  }
  if (named) ++(more ? writes->together : writes->alone);
  co_return Result<void>();
}

// A crash between two commits would make it twice.
Task<void> one_commit(Plane* plane) {
  Control& control = *plane->control;
  auto key = co_await control.keys().create({}, {.name = "n"}, co_await once(plane, "key"));
  EXPECT_NE(key->secret, "");
  EXPECT_EQ(writes->together, 1);
  auto again = co_await control.keys().create({}, {.name = "n"}, co_await once(plane, "key"));
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->key.id, key->key.id);
  EXPECT_EQ(again->secret, "") << "told once";
  SessionId id = co_await make_session(plane);
  (void)co_await control.session_maker().create({}, shell(), co_await once(plane, "session"));
  EXPECT_EQ(writes->together, 2);
  (void)co_await control.executions().execute({}, id, {.shell_command = "true"},
                                              async::deadline_in(60s), co_await once(plane, "e"));
  EXPECT_EQ(writes->together, 4) << "with its row, and with its result";
  EXPECT_EQ(writes->alone, 0);
}

// covers: C29
TEST(Idempotency, AKeyIsOneRequestOfOneTenantForADay) { with_control(claims); }
TEST(Idempotency, ASessionThatWasAcceptedIsToldAsSuchUntilItsEnd) {
  with_control(accepted_session);
}
TEST(Idempotency, ASessionThatWasReadyIsToldAsItIs) { with_control(ready_session); }
// covers: C29
TEST(Idempotency, ExecutionsRunOnce) { with_control(executions); }
TEST(Idempotency, WhatWasRemovedSinceIsNotMadeAgain) { with_control(gone); }
TEST(Idempotency, WhatWasMadeIsNamedInTheSameCommit) {
  Writes all;
  writes = &all;
  with_control(one_commit, {.on_write = &count});
}

}  // namespace
}  // namespace atl::control::test
