// Sessions on two nodes: a has the fake backend, b the one of the test's steps.
#include <gtest/gtest.h>

#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using async::Task;

Task<void> add_templates(Plane* plane) {
  for (std::string backend : {"fake", "steps"}) {
    model::TemplateSpec spec{.backend = backend, .language = "bash"};
    auto added = co_await plane->control->templates().add({}, "on-" + backend, spec);
    EXPECT_TRUE(added.has_value()) << added.error().to_string();
  }
}

Task<model::Session> make_on(Plane* plane, std::string backend) {
  auto made = co_await plane->control->session_maker().create(
      {}, {.template_id = "on-" + backend, .wait = std::chrono::seconds(60)});
  EXPECT_TRUE(made.has_value()) << made.error().to_string();
  co_return made ? made->value : model::Session();
}

Task<void> each_on_its_own(Plane* plane, Steps* steps) {
  co_await add_templates(plane);
  Sessions& sessions = plane->control->sessions();
  model::Session on_a = co_await make_on(plane, "fake");
  EXPECT_EQ(on_a.runtime_node, "a");
  EXPECT_EQ(steps->created, 0);
  model::Session on_b = co_await make_on(plane, "steps");
  EXPECT_EQ(on_b.runtime_node, "b");
  EXPECT_EQ(steps->created, 1);
  EXPECT_EQ(sessions.live_count("a"), 1u);
  EXPECT_EQ(sessions.live_count("b"), 1u);
  // The end of one is no business of the other's node.
  EXPECT_TRUE((co_await plane->control->session_ender().remove({}, on_b.id)).has_value());
  while (steps->stopped == 0) co_await async::yield_now();
  EXPECT_EQ(sessions.live_count("b"), 0u);
  ExecuteRequest request{.shell_command = "echo here"};
  auto said = co_await plane->control->executions().execute(
      {}, on_a.id, request, async::deadline_in(std::chrono::hours(1)));
  EXPECT_TRUE(said.has_value()) << said.error().to_string();
  if (said) EXPECT_EQ(said->value.output.stdout_bytes, "here\n");
}

TEST(TwoNodes, EachSessionIsOnANodeThatCanMakeIt) {
  Steps steps;
  with_control([&](Plane* plane) { return each_on_its_own(plane, &steps); },
               {.two_nodes = true, .steps = &steps});
}

// What neither has is refused as one node alone would refuse it.
TEST(TwoNodes, NoneCanMakeIt) {
  Steps steps;
  with_control(
      [](Plane* plane) -> Task<void> {
        model::TemplateSpec spec{.backend = "other", .language = "bash"};
        (void)co_await plane->control->templates().add({}, "elsewhere", spec);
        auto made =
            co_await plane->control->session_maker().create({}, {.template_id = "elsewhere"});
        EXPECT_EQ(made.error().code(), Code::kUnsupportedBackend);
      },
      {.two_nodes = true, .steps = &steps});
}

// Both nodes keep sandboxes of what they can make, and each its own.
Task<void> pools(Plane* plane, Steps* steps) {
  node::Placement& placement = plane->control->placement();
  model::TemplateSpec spec{.backend = "steps", .language = "bash", .pool = 2};
  (void)co_await plane->control->templates().add({}, "on-steps", spec);
  while (placement.pool_figures()["on-steps"].ready < 2) co_await async::yield_now();
  EXPECT_EQ(placement.find("a")->pool_figures()["on-steps"].ready, 0u);
  EXPECT_EQ(placement.find("b")->pool_figures()["on-steps"].ready, 2u);
  auto made = co_await plane->control->session_maker().create({}, {.template_id = "on-steps"});
  EXPECT_TRUE(made.has_value()) << made.error().to_string();
  if (!made) co_return;
  EXPECT_EQ(made->value.state, model::SessionState::kReady) << "at once, from the pool";
  EXPECT_EQ(made->value.runtime_node, "b");
  EXPECT_EQ(placement.find("b")->pool_figures()["on-steps"].hits, 1u);
  EXPECT_GE(steps->created, 2);
}

TEST(TwoNodes, EachHasAPoolOfItsOwn) {
  Steps steps;
  with_control([&](Plane* plane) { return pools(plane, &steps); },
               {.two_nodes = true, .steps = &steps});
}

}  // namespace
}  // namespace atl::control::test
