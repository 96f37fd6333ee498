// Sessions and the sandboxes that wait for them.
#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/task_group.hpp"
#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using async::Task;
using model::SessionState;

std::uint64_t ready(Plane* plane) {
  return plane->control->placement().pool_figures()["warm"].ready;
}

Task<void> keep_one(Plane* plane) {
  model::TemplateSpec spec{.language = "bash", .pool = 1};
  auto added = co_await plane->control->templates().add({}, "warm", spec);
  EXPECT_TRUE(added.has_value()) << added.error().to_string();
  while (ready(plane) == 0) co_await async::yield_now();
}

Task<model::Session> create(Plane* plane, std::optional<std::uint64_t> memory = {}) {
  CreateRequest request{.template_id = "warm"};
  request.config.resources.memory = memory;
  auto made = co_await plane->control->session_maker().create({}, request);
  EXPECT_TRUE(made.has_value()) << made.error().to_string();
  co_return made ? made->value : model::Session();
}

void with_steps(Task<void> (*body)(Plane*, Steps*)) {
  Steps steps;
  with_control([&steps, body](Plane* plane) { return body(plane, &steps); }, {.steps = &steps});
  EXPECT_EQ(steps.created, steps.stopped) << "one is left";
}

Task<void> at_once(Plane* plane, Steps* steps) {
  co_await keep_one(plane);
  steps->hold_create = true;  // the next one for the pool
  model::Session first = co_await create(plane);
  EXPECT_EQ(first.state, SessionState::kReady);
  EXPECT_TRUE(first.expires_at);
  EXPECT_EQ((co_await plane->control->store().session(first.id))->state, SessionState::kReady);
  EXPECT_EQ(steps->limits, 0);
  model::Session second = co_await create(plane);
  EXPECT_EQ(second.state, SessionState::kCreating) << "none waits";
  EXPECT_NE(second.sandbox_id, first.sandbox_id);
  steps->release();
  (void)co_await until_state(plane, second.id, SessionState::kReady);
}
TEST(SessionPool, ASandboxThatWaitedIsReadyAtOnce) { with_steps(&at_once); }

Task<void> other_limits(Plane* plane, Steps* steps) {
  co_await keep_one(plane);
  model::Session session = co_await create(plane, 256);
  EXPECT_EQ(session.state, SessionState::kReady);
  EXPECT_EQ(steps->limits, 1);
}
TEST(SessionPool, ASandboxThatWaitedGetsTheLimits) { with_steps(&other_limits); }

Task<void> limits_refused(Plane* plane, Steps* steps) {
  co_await keep_one(plane);
  steps->fail_limits = true;
  model::Session session = co_await create(plane, 256);
  EXPECT_EQ(session.state, SessionState::kCreating);
  (void)co_await until_state(plane, session.id, SessionState::kReady);
  while (steps->stopped == 0) co_await async::yield_now();
}
TEST(SessionPool, OneThatKeepsItsLimitsIsNotForTheSession) { with_steps(&limits_refused); }

Task<void> create_and_forget(Plane* plane) { (void)co_await create(plane, 256); }

Task<void> given_up(Plane* plane, Steps* steps) {
  co_await keep_one(plane);
  steps->hold_limits = true;
  async::TaskGroup clients(plane->executor);
  clients.spawn(create_and_forget(plane));
  while (steps->limits == 0) co_await async::yield_now();
  EXPECT_EQ(plane->control->sessions().live_count(), 1u);
  co_await clients.join();
  EXPECT_EQ(plane->control->sessions().live_count(), 0u) << "nobody was told of it";
  while (steps->stopped == 0) co_await async::yield_now();
}
TEST(SessionPool, AClientThatGivesUpLeavesNeitherSessionNorSandbox) { with_steps(&given_up); }

}  // namespace
}  // namespace atl::control::test
