// A backend for tests of the services that want a step to wait, or to fail: its sandboxes have no
// process, and the test says what happens to them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "async/event.hpp"
#include "sandbox/registry.hpp"

namespace atl::control::test {

// Shared by the test and the backend; outlives both.
struct Steps {
  bool hold_create = false;  // until it is false again, and release() was called
  bool fail_create = false;
  bool hold_freeze = false;  // pause and resume
  bool fail_freeze = false;
  bool gone = false;     // every sandbox has died by itself
  bool frozen = false;   // what the backend says of every sandbox
  bool forgets = false;  // no sandbox of before is found again
  bool hold_list = false;
  bool hold_limits = false;
  bool fail_limits = false;
  std::set<std::string> there;         // what the backend lists
  std::vector<std::string> found;      // again
  std::vector<std::string> destroyed;  // by id
  int created = 0;
  int limits = 0;   // that were to be changed
  int freezes = 0;  // pause and resume
  int stopped = 0;
  async::Event changed;

  void release() {
    hold_create = hold_freeze = hold_list = hold_limits = false;
    changed.notify_all();
  }
};

void register_steps(sandbox::Registry& registry, Steps* steps);  // as "steps"

}  // namespace atl::control::test
