#include "control/test_session_steps.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace atl::control::test {

Steps* steps = nullptr;

void with_steps(std::function<Task<void>(Plane*)> body, PlaneWish wish) {
  Steps own;
  steps = wish.steps = &own;
  with_control(std::move(body), std::move(wish));
  EXPECT_EQ(own.created - own.stopped, own.fail_create ? own.created : 0) << "one is left";
  steps = nullptr;
}

CreateRequest lasting(std::uint64_t seconds, std::optional<std::uint64_t> idle) {
  CreateRequest request{.template_id = "shell-default", .wait = 60s};
  request.config.timeout_seconds = seconds;
  request.config.idle_timeout_seconds = idle;
  return request;
}

Task<SessionId> create(Plane* plane, CreateRequest request) {
  auto made = co_await plane->control->session_maker().create({}, std::move(request));
  EXPECT_TRUE(made.has_value()) << made.error().to_string();
  co_return made ? made->value.id : SessionId();
}

Task<void> remove(Plane* plane, SessionId id, bool* over) {
  Result<void> removed = co_await plane->control->session_ender().remove({}, std::move(id));
  EXPECT_TRUE(removed.has_value()) << removed.error().to_string();
  *over = true;
}

}  // namespace atl::control::test
