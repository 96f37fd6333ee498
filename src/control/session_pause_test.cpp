// Pausing and resuming a session, and what else may happen meanwhile.
#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "control/test_session_steps.hpp"

namespace atl::control::test {
namespace {

using Paused = std::optional<Result<model::Session>>;

Task<void> pause(Plane* plane, SessionId id, Paused* outcome) {
  outcome->emplace(co_await plane->control->session_changes().pause({}, std::move(id)));
}

Task<void> resume(Plane* plane, SessionId id, Paused* outcome) {
  outcome->emplace(co_await plane->control->session_changes().resume({}, std::move(id)));
}

Task<SessionState> state_of(Plane* plane, SessionId id) {
  co_return (co_await plane->control->sessions().get({}, std::move(id)))->state;
}

Task<SessionState> stored_state(Plane* plane, SessionId id) {
  co_return (co_await plane->control->store().session(std::move(id)))->state;
}

Task<void> there_and_back(Plane* plane) {
  SessionId id = co_await make_session(plane);
  async::TaskGroup tasks(plane->executor);
  Paused paused, resumed;
  steps->hold_freeze = true;
  tasks.spawn(pause(plane, id, &paused));
  while (steps->freezes == 0) co_await async::yield_now();
  EXPECT_EQ(co_await state_of(plane, id), SessionState::kReady) << "still being frozen";
  steps->release();
  co_await tasks.wait_idle();
  EXPECT_EQ((*paused)->state, SessionState::kPaused);
  EXPECT_EQ(co_await stored_state(plane, id), SessionState::kPaused);
  auto refused =
      co_await plane->control->executions().start({}, id, {.shell_command = "true"}, false);
  EXPECT_EQ(refused.error().code(), Code::kConflict);
  EXPECT_EQ((co_await plane->control->sessions().use({}, id)).error().code(), Code::kConflict);

  steps->hold_freeze = true;
  tasks.spawn(resume(plane, id, &resumed));
  while (steps->freezes == 1) co_await async::yield_now();
  EXPECT_EQ(co_await state_of(plane, id), SessionState::kPaused) << "still being thawed";
  steps->release();
  co_await tasks.wait_idle();
  EXPECT_EQ((*resumed)->state, SessionState::kReady);
  EXPECT_EQ(co_await stored_state(plane, id), SessionState::kReady);
  EXPECT_TRUE((co_await plane->control->sessions().use({}, id)).has_value());
}

TEST(SessionPause, IsPausedOnceItsSandboxIsFrozen) { with_steps(there_and_back); }

Task<void> refused(Plane* plane) {
  SessionId id = co_await make_session(plane);
  steps->fail_freeze = true;
  auto paused = co_await plane->control->session_changes().pause({}, id);
  EXPECT_EQ(paused.error().code(), Code::kBackend);
  EXPECT_EQ(co_await state_of(plane, id), SessionState::kReady);
  steps->fail_freeze = false;
  EXPECT_TRUE((co_await plane->control->session_changes().pause({}, id)).has_value());
  steps->fail_freeze = true;
  EXPECT_FALSE((co_await plane->control->session_changes().resume({}, id)).has_value());
  EXPECT_EQ(co_await state_of(plane, id), SessionState::kPaused);
  steps->fail_freeze = false;
  EXPECT_TRUE((co_await plane->control->session_changes().resume({}, id)).has_value());
}

TEST(SessionPause, StaysAsItWasWhenTheSandboxDoesNotFreeze) { with_steps(refused); }

Task<void> twice(Plane* plane) {
  SessionId id = co_await make_session(plane);
  async::TaskGroup tasks(plane->executor);
  Paused first, second, third;
  steps->hold_freeze = true;
  tasks.spawn(pause(plane, id, &first));
  tasks.spawn(pause(plane, id, &second));
  tasks.spawn(resume(plane, id, &third));
  while (steps->freezes == 0) co_await async::yield_now();
  EXPECT_FALSE(first || second || third);
  EXPECT_EQ(steps->freezes, 1) << "one after the other";
  steps->release();
  co_await tasks.wait_idle();
  EXPECT_TRUE(first->has_value());
  EXPECT_TRUE(second->has_value());
  EXPECT_EQ((*third)->state, SessionState::kReady);
  EXPECT_FALSE(steps->frozen);
}

TEST(SessionPause, StepsComeOneAfterTheOther) { with_steps(twice); }

Task<void> ended(Plane* plane) {
  SessionId id = co_await make_session(plane);
  async::TaskGroup tasks(plane->executor);
  Paused paused;
  steps->hold_freeze = true;
  tasks.spawn(pause(plane, id, &paused));
  while (steps->freezes == 0) co_await async::yield_now();
  EXPECT_TRUE((co_await plane->control->session_ender().remove({}, id)).has_value());
  steps->release();
  co_await tasks.wait_idle();
  EXPECT_EQ(paused->error().code(), Code::kConflict);
  EXPECT_EQ(co_await state_of(plane, id), SessionState::kTerminated);
  EXPECT_EQ(co_await stored_state(plane, id), SessionState::kTerminated);
}

TEST(SessionPause, AnEndIsNotUndoneByIt) { with_steps(ended); }

// A client that goes away while it waits leaves the session usable.
Task<void> given_up(Plane* plane) {
  SessionId id = co_await make_session(plane);
  Paused paused;
  steps->hold_freeze = true;
  {
    async::TaskGroup tasks(plane->executor);
    tasks.spawn(pause(plane, id, &paused));
    while (steps->freezes == 0) co_await async::yield_now();
    co_await tasks.join();
  }
  EXPECT_FALSE(paused);
  steps->release();
  auto again = co_await plane->control->session_changes().pause({}, id);
  EXPECT_EQ(again->state, SessionState::kPaused);
}

TEST(SessionPause, AClientThatGivesUpDoesNotLeaveItHalfWay) { with_steps(given_up); }

Task<void> from_outside(Plane* plane) {
  SessionId id = co_await make_session(plane);
  steps->frozen = true;
  (void)co_await until_state(plane, id, SessionState::kPaused);
  while (co_await stored_state(plane, id) != SessionState::kPaused) co_await async::yield_now();
  steps->frozen = false;
  (void)co_await until_state(plane, id, SessionState::kReady);
}

TEST(SessionPause, FollowsSomebodyElseWhoPausesTheSandbox) { with_steps(from_outside); }

Task<void> expiry(Plane* plane) {
  SessionId id = co_await make_session(plane);
  EXPECT_TRUE((co_await plane->control->session_changes().pause({}, id)).has_value());
  plane->clock->advance(300s);
  (void)co_await until_state(plane, id, SessionState::kCompleted);
}

TEST(SessionPause, PausedTimeCounts) { with_steps(expiry); }

Task<void> network(Plane* plane) {
  SessionId id = co_await make_session(plane);
  (void)co_await plane->control->session_changes().pause({}, id);
  NetworkRequest request;
  request.policy.rules = {{.action = model::NetworkAction::kDeny, .target = "b.test", .ports = {}}};
  auto changed = co_await plane->control->session_network().replace({}, id, request);
  EXPECT_TRUE(changed.has_value()) << changed.error().to_string();
  EXPECT_EQ(co_await state_of(plane, id), SessionState::kPaused);
  auto stored = co_await plane->control->store().session(id);
  EXPECT_TRUE(stored->config.network.has_value());
  if (stored->config.network) EXPECT_EQ(stored->config.network->rules.at(0).target, "b.test");
}

TEST(SessionPause, ItsNetworkCanBeChanged) { with_steps(network); }

}  // namespace
}  // namespace atl::control::test
