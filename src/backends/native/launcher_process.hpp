// Starting atoll-launcher, which lies beside the calling program. Must happen before privileges are
// dropped, and is done first of all: the launcher prepares a sandbox while its parent still reads
// options.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::backends::native {

struct LauncherOptions {
  std::string run_folder;   // empty: default_run_folder()
  uid_t client_uid = 0;     // whom this process will run as
  uid_t mount_owner = 0;    // whose files stay his in mounts, and
  gid_t mount_group = 0;    // whose stay this group's
  std::string data_folder;  // disk images and the image store; empty: /var/lib/atoll
  bool once = false;        // one sandbox, gone with this process
};

// /run/atoll as root, otherwise a private folder under XDG_RUNTIME_DIR or /tmp.
std::string default_run_folder();

// The control socket of a new launcher. Blocks only for vfork and exec.
Result<UniqueFd> start_launcher(const LauncherOptions& options);

}  // namespace atl::backends::native
