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
  std::string disk_folder;  // on a real disk; empty: no sandbox may have more than fits in memory
  UniqueFd control;       // a connected SOCK_SEQPACKET socket, the first client
  uid_t client_uid = 0;
  uid_t mount_owner = 0;
  bool once = false;      // one sandbox, gone with the client; otherwise sandboxes outlive both
};

// Runs until no client and no sandbox is left. Returns the exit status of the program.
int run_launcher(LauncherOptions options);

}  // namespace atl::engine
