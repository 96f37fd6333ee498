// The launcher's life: answer requests, watch its sandboxes, clean up after them. Single-threaded;
// waits only in epoll.
#pragma once

#include <string>

#include "base/unique_fd.hpp"
#include "engine/box.hpp"

namespace atl::engine {

struct LauncherOptions {
  std::string run_folder;
  std::string guest_program, mounts_program;
  std::string zygote_program, zygote_driver, enter_library;  // missing ones: no zygotes
  std::string disk_folder;  // on a real disk; empty: no sandbox may have more than fits in memory
  UniqueFd control;         // a connected SOCK_SEQPACKET socket: its one client
  UniqueFd cgroup;          // rootless: a group that was delegated to the user
  uid_t client_uid = 0;
  uid_t mount_owner = 0, mount_group = 0;
  bool once = false;  // one sandbox, gone with the client; otherwise sandboxes outlive both
};

// Prepares a launcher: its user namespace when not root, folders, cgroups, template, guest program
// and a first slot, so that a create finds it done. A Failure is for the first client: nobody else
// is there to be told.
Outcome<void> set_up_launcher(LauncherOptions& options, LauncherState& state);
// Confines the launcher itself, for all that comes after its set-up. As root only.
bool confine_launcher();
// Runs until the client is gone. Returns the exit status of the program.
int run_launcher(LauncherOptions options);

}  // namespace atl::engine
