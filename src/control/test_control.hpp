// For tests of the services: the control plane on sandboxes of the fake backend, with a clock that
// the test sets. No HTTP.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "control/control.hpp"
#include "control/test_backend.hpp"
#include "control/test_store.hpp"

namespace atl::control::test {

struct Plane {
  async::Executor executor;
  Control* control;
  ManualClock* clock;
  std::string folder;  // data/ and run/ are in there
};

struct PlaneWish {
  ControlOptions control{.pool_size = 0};
  bool two_nodes = false;  // a with the fake backend, b with `steps`
  OnWrite on_write = {};
  Steps* steps = nullptr;                // sandboxes of this backend instead of the fake one's
  std::vector<store::Change> rows = {};  // in the store before the start
  void (*before)(const std::string& data_folder) = nullptr;  // the start
};

// Fails the test instead of hanging. `body` is an ordinary function that makes a coroutine.
void with_control(std::function<async::Task<void>(Plane*)> body, PlaneWish wish = {});

// Until it is this; the test hangs, and so fails, when it never is.
async::Task<model::Session> until_state(Plane* plane, SessionId id, model::SessionState state);

// shell-default, ready.
async::Task<SessionId> make_session(Plane* plane, Caller caller = {});

}  // namespace atl::control::test
