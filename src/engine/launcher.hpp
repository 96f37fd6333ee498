// The launcher's life: answer requests, watch its sandboxes, clean up after them. Single-threaded;
// waits only in poll.
#pragma once

#include <string>

#include "base/unique_fd.hpp"
#include "engine/box.hpp"

namespace atl::engine {

struct LauncherOptions {
  std::string run_folder;
  std::string guest_program;
  std::string enter_library;
  std::string disk_folder;  // on a real disk; empty: no sandbox may have more than fits in memory
  UniqueFd control;         // a connected SOCK_SEQPACKET socket, the first client
  uid_t client_uid = 0;
  uid_t mount_owner = 0;
  bool once = false;  // one sandbox, gone with the client; otherwise sandboxes outlive both
};

// Prepares a launcher: its user namespace when not root, folders, cgroups, template, guest program
// and a first slot, so that a create finds it done. A Failure is for the first client: nobody else
// is there to be told.
Outcome<void> set_up_launcher(const LauncherOptions& options, LauncherState& state);
// Runs until no client and no sandbox is left. Returns the exit status of the program.
int run_launcher(LauncherOptions options);

}  // namespace atl::engine
