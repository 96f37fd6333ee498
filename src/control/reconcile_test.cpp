// What a server makes of each state that a crash can leave in the store.
#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using async::Task;
using model::ExecutionState;
using model::SessionState;

model::Session session_in(SessionState state) {
  model::Session row;
  row.id = SessionId::make();
  row.tenant = "default";
  row.template_id = "shell-default";
  row.runtime_node = "local";
  row.backend = "steps";
  row.sandbox_id = SandboxId::make();
  row.config.timeout_seconds = 300;
  row.state = state;
  return row;
}

// The server starts with this row, and what else is in the store.
void after_crash(Steps* steps, const model::Session& row,
                 Task<void> (*body)(Plane*, Steps*, model::Session),
                 std::vector<store::Change> rows = {}) {
  rows.insert(rows.begin(), store::PutSession{row});
  with_control([steps, row, body](Plane* plane) { return body(plane, steps, row); },
               {.steps = steps, .rows = std::move(rows)});
}

Task<void> until_recovered(Plane* plane) {
  while (plane->control->sessions().finding_count() > 0) co_await async::yield_now();
}

TEST(Reconcile, AReadySessionGoesOn) {
  Steps steps;
  model::Session row = session_in(SessionState::kReady);
  after_crash(&steps, row, [](Plane* plane, Steps* steps, model::Session row) -> Task<void> {
    (void)co_await until_state(plane, row.id, SessionState::kReady);
    EXPECT_TRUE((co_await plane->control->sessions().use({}, row.id)).has_value());
    EXPECT_EQ(steps->found, std::vector<std::string>{row.sandbox_id.str()});
    EXPECT_EQ(steps->created, 0);
    EXPECT_TRUE(steps->destroyed.empty());
  });
}

TEST(Reconcile, APausedSessionIsPausedAgain) {
  Steps steps;
  model::Session row = session_in(SessionState::kPaused);
  after_crash(&steps, row, [](Plane* plane, Steps* steps, model::Session row) -> Task<void> {
    co_await until_recovered(plane);
    EXPECT_EQ((co_await plane->control->sessions().get({}, row.id))->state, SessionState::kPaused);
    EXPECT_TRUE(steps->frozen) << "it was thawed to look at it";
    EXPECT_TRUE((co_await plane->control->session_changes().resume({}, row.id)).has_value());
    EXPECT_FALSE(steps->frozen);
  });
}

TEST(Reconcile, ASessionThatWasBeingMadeIsMadeAgain) {
  Steps steps;
  model::Session row = session_in(SessionState::kCreating);
  after_crash(&steps, row, [](Plane* plane, Steps* steps, model::Session row) -> Task<void> {
    (void)co_await until_state(plane, row.id, SessionState::kReady);
    EXPECT_EQ(steps->destroyed, std::vector<std::string>{row.sandbox_id.str()})
        << "however far it had come";
    EXPECT_EQ(steps->created, 1);
    EXPECT_TRUE(steps->found.empty());
  });
}

TEST(Reconcile, ASessionWhoseSandboxIsGoneFails) {
  Steps steps{.forgets = true};
  model::Session row = session_in(SessionState::kReady);
  after_crash(&steps, row, [](Plane* plane, Steps* steps, model::Session row) -> Task<void> {
    model::Session failed = co_await until_state(plane, row.id, SessionState::kFailed);
    EXPECT_EQ(failed.error_message, "the sandbox was gone when the server came back");
    EXPECT_EQ((co_await plane->control->store().session(row.id))->state, SessionState::kFailed);
  });
}

TEST(Reconcile, NobodyWasToldOfAOneShot) {
  Steps steps;
  model::Session row = session_in(SessionState::kReady);
  row.one_shot = true;
  steps.there = {row.sandbox_id.str()};
  after_crash(&steps, row, [](Plane* plane, Steps* steps, model::Session row) -> Task<void> {
    EXPECT_EQ((co_await plane->control->store().session(row.id))->state, SessionState::kTerminated);
    while (steps->destroyed.empty()) co_await async::yield_now();
    EXPECT_EQ(steps->destroyed, std::vector<std::string>{row.sandbox_id.str()});
    EXPECT_TRUE(steps->found.empty());
  });
}

Task<void> node_gone(Plane* plane, Steps* steps, model::Session row) {
  auto failed = co_await plane->control->store().session(row.id);
  EXPECT_EQ(failed->state, SessionState::kFailed);
  EXPECT_EQ(failed->error_message, "the node elsewhere of the session is gone");
  EXPECT_TRUE(steps->found.empty() && steps->destroyed.empty());
}

TEST(Reconcile, ASessionOfANodeThatIsGoneFails) {
  for (SessionState state : {SessionState::kReady, SessionState::kCreating}) {
    Steps steps;
    model::Session row = session_in(state);
    row.runtime_node = "elsewhere";
    after_crash(&steps, row, &node_gone);
  }
}

// Not what a session has, nor what this server has made meanwhile.
TEST(Reconcile, SandboxesOfNobodyAreEnded) {
  Steps steps{.hold_list = true, .there = {"orphan"}};
  model::Session row = session_in(SessionState::kCreating);
  after_crash(&steps, row, [](Plane* plane, Steps* steps, model::Session row) -> Task<void> {
    (void)co_await until_state(plane, row.id, SessionState::kReady);
    EXPECT_EQ(steps->there.size(), 2u) << "what was made for the session";
    steps->release();
    while (steps->destroyed.size() < 2) co_await async::yield_now();
    for (int i = 0; i < 100; ++i) co_await async::yield_now();
    EXPECT_EQ(steps->destroyed, (std::vector<std::string>{row.sandbox_id.str(), "orphan"}));
  });
}

TEST(Reconcile, SandboxesOfSessionsAreNotEnded) {
  Steps steps;
  model::Session row = session_in(SessionState::kReady);
  steps.there = {row.sandbox_id.str(), "orphan"};
  after_crash(&steps, row, [](Plane* plane, Steps* steps, model::Session) -> Task<void> {
    co_await until_recovered(plane);
    while (steps->destroyed.empty()) co_await async::yield_now();
    for (int i = 0; i < 100; ++i) co_await async::yield_now();
    EXPECT_EQ(steps->destroyed, std::vector<std::string>{"orphan"});
  });
}

Task<void> executions_left(Plane* plane, Steps*, model::Session row) {
  auto all = co_await plane->control->executions().list({}, row.id, {}, false);
  EXPECT_EQ(all->size(), 3u);
  for (const model::Execution& one : *all) {
    bool was_over = one.exit_code.has_value();
    EXPECT_EQ(one.state, was_over ? ExecutionState::kCompleted : ExecutionState::kFailed);
    EXPECT_EQ(one.error_code, was_over ? "" : "server_restarted");
    for (;;) {  // written down soon
      auto stored = co_await plane->control->store().execution(one.id, false);
      if (stored && stored->state == one.state) break;
      co_await async::yield_now();
    }
  }
}

TEST(Reconcile, WhatRanOrWaitedHasFailed) {
  Steps steps;
  model::Session row = session_in(SessionState::kReady);
  std::vector<store::Change> rows;
  for (ExecutionState state :
       {ExecutionState::kQueued, ExecutionState::kRunning, ExecutionState::kCompleted}) {
    model::Execution execution;
    execution.id = ExecutionId::make();
    execution.session_id = row.id;
    execution.tenant = "default";
    execution.state = state;
    if (state == ExecutionState::kCompleted) execution.exit_code = 0;
    rows.push_back(store::PutExecution{.row = execution});
  }
  after_crash(&steps, row, &executions_left, std::move(rows));
}

TEST(Reconcile, AKeyGivesTheSessionOfTheLastServer) {
  Steps steps;
  model::Session row = session_in(SessionState::kReady);
  row.session_key = "k";
  after_crash(&steps, row, [](Plane* plane, Steps* steps, model::Session row) -> Task<void> {
    auto made = co_await plane->control->session_maker().create(
        {}, {.template_id = "shell-default", .session_key = "k"});
    EXPECT_TRUE(made.has_value()) << made.error().to_string();
    if (made) EXPECT_EQ(made->value.id, row.id);
    EXPECT_EQ(steps->created, 0);
  });
}

}  // namespace
}  // namespace atl::control::test
