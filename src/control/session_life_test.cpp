// Creating, ending, expiry and renewal of sessions, on a backend that waits where the test says and
// on a clock that the test sets.
#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "control/test_session_steps.hpp"

namespace atl::control::test {
namespace {

Task<SessionState> stored_state(Plane* plane, SessionId id) {
  Result<model::Session> row = co_await plane->control->store().session(std::move(id));
  EXPECT_TRUE(row.has_value());
  co_return row ? row->state : SessionState::kFailed;
}

// Every session that was made before it has been looked at when this one is gone.
Task<void> let_timers_look(Plane* plane) {
  for (int i = 0; i < 2; ++i) {
    SessionId witness = co_await create(plane, lasting(1));
    plane->clock->advance(1s);
    (void)co_await until_state(plane, witness, SessionState::kCompleted);
  }
}

Task<void> creating(Plane* plane) {
  steps->hold_create = true;
  SessionId id = co_await create(plane, {.template_id = "shell-default"});
  Result<model::Session> seen = co_await plane->control->sessions().get({}, id);
  EXPECT_EQ(seen->state, SessionState::kCreating);
  EXPECT_FALSE(seen->expires_at) << "the lifetime counts from ready";
  EXPECT_EQ(co_await stored_state(plane, id), SessionState::kCreating);
  plane->clock->advance(1000s);
  steps->release();
  model::Session ready = co_await until_state(plane, id, SessionState::kReady);
  EXPECT_EQ(ready.expires_at, *ready.ready_at + 300s);
  while (co_await stored_state(plane, id) != SessionState::kReady) co_await async::yield_now();
}

TEST(SessionLife, IsCreatingUntilItsSandboxIsThere) { with_steps(creating); }

Task<void> not_made(Plane* plane) {
  steps->fail_create = true;
  auto waited = co_await plane->control->session_maker().create(
      {}, {.template_id = "shell-default", .wait = 60s});
  EXPECT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().code(), Code::kBackend);
  SessionId id = co_await create(plane, {.template_id = "shell-default"});
  model::Session failed = co_await until_state(plane, id, SessionState::kFailed);
  EXPECT_EQ(failed.error_code, "backend_error");
  EXPECT_EQ(failed.error_message, "no sandbox today");
  EXPECT_TRUE(failed.ended_at);
  EXPECT_EQ(co_await stored_state(plane, id), SessionState::kFailed);
}

TEST(SessionLife, FailsWhenItsSandboxCannotBeMade) { with_steps(not_made); }

// Its sandbox comes when nobody wants it any more.
Task<void> removed_early(Plane* plane) {
  steps->hold_create = true;
  SessionId id = co_await create(plane, {.template_id = "shell-default"});
  async::TaskGroup tasks(plane->executor);
  bool over = false;
  tasks.spawn(remove(plane, id, &over));
  EXPECT_FALSE(over) << "it waits for whoever makes the sandbox";
  EXPECT_EQ((co_await plane->control->sessions().get({}, id))->state, SessionState::kCreating);
  Result<Use> use = co_await plane->control->sessions().use({}, id);
  EXPECT_EQ(use.error().code(), Code::kConflict);
  steps->release();
  co_await tasks.wait_idle();
  EXPECT_TRUE(over);
  EXPECT_EQ(steps->stopped, 1);
  EXPECT_EQ((co_await plane->control->sessions().get({}, id))->state, SessionState::kTerminated);
  EXPECT_EQ(co_await stored_state(plane, id), SessionState::kTerminated);
  EXPECT_EQ(plane->control->sessions().live_count(), 0u);
}

TEST(SessionLife, CanBeRemovedWhileItIsBeingMade) { with_steps(removed_early); }

Task<void> removed_twice(Plane* plane) {
  SessionId id = co_await create(plane, lasting(300));
  bool first = false, second = false;
  async::TaskGroup tasks(plane->executor);
  tasks.spawn(remove(plane, id, &first));
  tasks.spawn(remove(plane, id, &second));
  co_await tasks.wait_idle();
  EXPECT_TRUE(first && second);
  bool third = false;
  co_await remove(plane, id, &third);
  EXPECT_TRUE(third);
  Result<void> alive = co_await plane->control->sessions().check_alive({}, id);
  EXPECT_EQ(alive.error().code(), Code::kConflict);
  EXPECT_EQ(alive.error().message(), "the session is terminated");
}

TEST(SessionLife, EndsOnceHoweverManyRemoveIt) { with_steps(removed_twice); }

// What a client sees while the end of its session is being written.
std::optional<SessionState> seen_meanwhile;
Plane* plane_of_test = nullptr;

Task<Result<void>> look_meanwhile(const std::vector<store::Change>* changes) {
  for (const store::Change& change : *changes) {
    const auto* put = std::get_if<store::PutSession>(&change);
    if (put == nullptr || put->row.state != SessionState::kTerminated) continue;
    auto row = co_await plane_of_test->control->sessions().get({}, put->row.id);
    if (row) seen_meanwhile = row->state;
  }
  co_return Result<void>();
}

Task<void> seen_until_written(Plane* plane) {
  plane_of_test = plane;
  seen_meanwhile.reset();
  SessionId id = co_await create(plane, lasting(300));
  EXPECT_TRUE((co_await plane->control->session_ender().remove({}, id)).has_value());
  EXPECT_EQ(seen_meanwhile, SessionState::kReady);
  EXPECT_EQ((co_await plane->control->sessions().get({}, id))->state, SessionState::kTerminated);
}

TEST(SessionLife, IsSeenAsItWasUntilItsEndIsWritten) {
  with_steps(seen_until_written, {.on_write = look_meanwhile});
}

Task<void> of_others(Plane* plane) {
  SessionId id = co_await create(plane, lasting(300));
  Caller stranger{.tenant = "another"};
  Sessions& sessions = plane->control->sessions();
  EXPECT_EQ((co_await sessions.get(stranger, id)).error().code(), Code::kSessionNotFound);
  EXPECT_EQ((co_await plane->control->session_ender().remove(stranger, id)).error().code(),
            Code::kSessionNotFound);
  EXPECT_EQ((co_await plane->control->session_changes().renew(stranger, id, 5)).error().code(),
            Code::kSessionNotFound);
  EXPECT_EQ((co_await sessions.get({}, id))->state, SessionState::kReady);
}

TEST(SessionLife, IsNotThereForAnotherTenant) { with_steps(of_others); }

Task<void> expiry(Plane* plane) {
  SessionId id = co_await create(plane, lasting(10));
  SessionId longer = co_await create(plane, lasting(1000));
  plane->clock->advance(10s);
  model::Session over = co_await until_state(plane, id, SessionState::kCompleted);
  EXPECT_EQ(over.ended_at, *over.ready_at + 10s);
  EXPECT_EQ(co_await stored_state(plane, id), SessionState::kCompleted);
  co_await let_timers_look(plane);
  EXPECT_EQ((co_await plane->control->sessions().get({}, longer))->state, SessionState::kReady);
}

TEST(SessionLife, CompletesWhenItsLifetimeIsOver) { with_steps(expiry); }

Task<void> idle(Plane* plane) {
  SessionId id = co_await create(plane, lasting(1000, 10));
  plane->clock->advance(5s);
  co_await let_timers_look(plane);
  EXPECT_EQ((co_await plane->control->sessions().get({}, id))->state, SessionState::kReady);
  plane->clock->advance(10s);
  (void)co_await until_state(plane, id, SessionState::kCompleted);
}

TEST(SessionLife, CompletesWhenNobodyHasUsedItForItsIdleTime) { with_steps(idle); }

Task<void> used(Plane* plane) {
  SessionId id = co_await create(plane, lasting(1000, 10));
  {
    Result<Use> use = co_await plane->control->sessions().use({}, id);
    EXPECT_TRUE(use.has_value());
    plane->clock->advance(20s);
    co_await let_timers_look(plane);
    EXPECT_EQ((co_await plane->control->sessions().get({}, id))->state, SessionState::kReady);
  }
  plane->clock->advance(5s);
  co_await let_timers_look(plane);
  EXPECT_EQ((co_await plane->control->sessions().get({}, id))->state, SessionState::kReady)
      << "its idle time counts from the end of the use";
  plane->clock->advance(10s);
  (void)co_await until_state(plane, id, SessionState::kCompleted);
}

TEST(SessionLife, IsNotIdleWhileSomebodyUsesIt) { with_steps(used); }

Task<void> renewal(Plane* plane) {
  SessionId id = co_await create(plane, lasting(10));
  plane->clock->advance(8s);
  auto renewed = co_await plane->control->session_changes().renew({}, id, 100);
  EXPECT_EQ(renewed->expires_at, *renewed->ready_at + 108s);
  EXPECT_EQ((co_await plane->control->store().session(id))->expires_at, renewed->expires_at);
  plane->clock->advance(50s);
  co_await let_timers_look(plane);
  EXPECT_EQ((co_await plane->control->sessions().get({}, id))->state, SessionState::kReady);
  auto bad = co_await plane->control->session_changes().renew({}, id, 0);
  EXPECT_EQ(bad.error().code(), Code::kInvalidValue);
  plane->clock->advance(60s);
  (void)co_await until_state(plane, id, SessionState::kCompleted);
  auto late = co_await plane->control->session_changes().renew({}, id, 100);
  EXPECT_EQ(late.error().code(), Code::kConflict);
}

TEST(SessionLife, IsRenewedFromNowOn) { with_steps(renewal); }

Task<void> extended(Plane* plane) {
  using Renewal = SessionChanges::Renewal;
  SessionChanges& changes = plane->control->session_changes();
  steps->hold_create = true;
  SessionId id = co_await create(plane, {.template_id = "shell-default"});
  auto early = co_await changes.renew({}, id, 200, Renewal::kAtLeast);
  EXPECT_FALSE(early->expires_at) << "it lasts 300 s from when it is ready";
  steps->release();
  model::Session ready = co_await until_state(plane, id, SessionState::kReady);
  EXPECT_EQ(ready.expires_at, *ready.ready_at + 300s);
  auto shorter = co_await changes.renew({}, id, 299, Renewal::kAtLeast);
  EXPECT_EQ(shorter->expires_at, ready.expires_at);
  auto longer = co_await changes.renew({}, id, 301, Renewal::kAtLeast);
  EXPECT_EQ(longer->expires_at, *ready.ready_at + 301s);
  auto exact = co_await changes.renew({}, id, 100);
  EXPECT_EQ(exact->expires_at, *ready.ready_at + 100s);
}

TEST(SessionLife, IsExtendedButNotShortened) { with_steps(extended); }

Task<void> labelled(Plane* plane) {
  CreateRequest request = lasting(300);
  request.labels = {{"a", "1"}, {"b", "2"}};
  SessionId id = co_await create(plane, std::move(request));
  SessionChanges& changes = plane->control->session_changes();
  ChangeRequest some;
  some.label_changes = {{"a", std::nullopt}, {"absent", std::nullopt}, {"c", "3"}};
  auto changed = co_await changes.change({}, id, some);
  std::map<std::string, std::string> wanted{{"b", "2"}, {"c", "3"}};
  EXPECT_EQ(changed->labels, wanted);
  EXPECT_EQ((co_await plane->control->store().session(id))->labels, wanted);
  ChangeRequest many;
  for (std::size_t i = 0; i < kMaxLabels - 1; ++i) {
    many.label_changes["n" + std::to_string(i)] = "";
  }
  EXPECT_EQ((co_await changes.change({}, id, many)).error().code(), Code::kInvalidValue);
  EXPECT_EQ((co_await plane->control->sessions().get({}, id))->labels, wanted);
}

TEST(SessionLife, ItsLabelsChangeOneByOne) { with_steps(labelled); }

bool refuse_writes = false;

Task<Result<void>> refuse_if(const std::vector<store::Change>* /*changes*/) {
  if (refuse_writes) co_return fail(Code::kIo, "the disk is full");
  co_return Result<void>();
}

Task<void> not_renewed(Plane* plane) {
  SessionId id = co_await create(plane, lasting(10));
  auto before = (co_await plane->control->sessions().get({}, id))->expires_at;
  refuse_writes = true;
  EXPECT_FALSE((co_await plane->control->session_changes().renew({}, id, 100)).has_value());
  refuse_writes = false;
  EXPECT_EQ((co_await plane->control->sessions().get({}, id))->expires_at, before);
}

TEST(SessionLife, KeepsItsExpiryWhenARenewalIsNotWritten) {
  with_steps(not_renewed, {.on_write = refuse_if});
}

Task<void> never_written(Plane* plane) {
  refuse_writes = true;
  auto made = co_await plane->control->session_maker().create(
      {}, {.template_id = "shell-default", .session_key = "k"});
  refuse_writes = false;
  EXPECT_EQ(made.error().code(), Code::kIo);
  EXPECT_EQ(plane->control->sessions().live_count(), 0u);
  EXPECT_EQ(steps->created, 0);
  SessionId id =
      co_await create(plane, {.template_id = "shell-default", .session_key = "k", .wait = 60s});
  EXPECT_FALSE(id.empty()) << "the key is free again";
}

TEST(SessionLife, IsDroppedWhenItsFirstWriteFails) {
  with_steps(never_written, {.on_write = refuse_if});
}

// It has ended, and is known here as such until the store takes the word.
Task<void> end_not_written(Plane* plane) {
  SessionId id = co_await create(plane, lasting(300));
  refuse_writes = true;
  EXPECT_FALSE((co_await plane->control->session_ender().remove({}, id)).has_value());
  EXPECT_EQ((co_await plane->control->sessions().get({}, id))->state, SessionState::kTerminated);
  EXPECT_NE(co_await stored_state(plane, id), SessionState::kTerminated);
  refuse_writes = false;
  while (plane->control->sessions().contains(id)) {
    co_await async::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(co_await stored_state(plane, id), SessionState::kTerminated);
}

TEST(SessionLife, AnEndThatIsNotWrittenIsWrittenLater) {
  with_steps(end_not_written, {.on_write = refuse_if});
}

Task<void> died(Plane* plane) {
  SessionId id = co_await create(plane, lasting(300));
  steps->gone = true;
  model::Session failed = co_await until_state(plane, id, SessionState::kFailed);
  EXPECT_EQ(failed.error_message, "the sandbox is gone");
}

TEST(SessionLife, FailsWhenItsSandboxDies) { with_steps(died); }

Task<void> keyed(Plane* plane) {
  CreateRequest request{.template_id = "shell-default", .session_key = "k", .wait = 60s};
  SessionId first = co_await create(plane, request);
  EXPECT_EQ(co_await create(plane, request), first);
  EXPECT_TRUE((co_await plane->control->session_ender().remove_by_key({}, "k")).has_value());
  EXPECT_TRUE((co_await plane->control->session_ender().remove_by_key({}, "k")).has_value());
  EXPECT_NE(co_await create(plane, request), first);
}

TEST(SessionLife, AKeyGivesTheSameOneUntilItHasEnded) { with_steps(keyed); }

}  // namespace
}  // namespace atl::control::test
