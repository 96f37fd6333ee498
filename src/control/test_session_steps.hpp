// What the tests of the life of sessions share: a control plane on the backend of test_backend.hpp,
// and creating and removing sessions on it.
#pragma once

#include <functional>
#include <optional>

#include "control/test_control.hpp"

namespace atl::control::test {

using namespace std::chrono_literals;
using async::Task;
using model::SessionState;

extern Steps* steps;  // of the test that runs

// Fails the test when a sandbox is left.
void with_steps(std::function<Task<void>(Plane*)> body, PlaneWish wish = {});

// shell-default with this lifetime; creating it waits until it is ready.
CreateRequest lasting(std::uint64_t seconds, std::optional<std::uint64_t> idle = {});
Task<SessionId> create(Plane* plane, CreateRequest request);
// `over` says when it has been removed.
Task<void> remove(Plane* plane, SessionId id, bool* over);

}  // namespace atl::control::test
