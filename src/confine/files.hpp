// Files and folders by descriptor. Like the calls behind them, these say whether it worked, and
// errno why not. `dir` may be AT_FDCWD.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/unique_fd.hpp"

namespace atl::confine {

// Close-on-exec, and never by way of a link at the end of the name.
inline UniqueFd open_at(int dir, const char* name, int flags = O_RDONLY, mode_t mode = 0600) {
  return UniqueFd(::openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW, mode));
}
// True when a folder is there afterwards.
inline bool make_folder(int dir, const char* name, mode_t mode) {
  return ::mkdirat(dir, name, mode) == 0 || errno == EEXIST;
}

}  // namespace atl::confine
