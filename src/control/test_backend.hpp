// A backend for tests of the services that want a step to wait, or to fail: its sandboxes have no
// process, and the test says what happens to them.
#pragma once

#include "async/event.hpp"
#include "sandbox/registry.hpp"

namespace atl::control::test {

// Shared by the test and the backend; outlives both.
struct Steps {
  bool hold_create = false;  // until it is false again, and release() was called
  bool fail_create = false;
  bool hold_freeze = false;  // pause and resume
  bool fail_freeze = false;
  bool gone = false;    // every sandbox has died by itself
  bool frozen = false;  // what the backend says of every sandbox
  int created = 0;
  int freezes = 0;  // pause and resume
  int stopped = 0;
  async::Event changed;

  void release() {
    hold_create = hold_freeze = false;
    changed.notify_all();
  }
};

void register_steps(sandbox::Registry& registry, Steps* steps);  // as "steps"

}  // namespace atl::control::test
