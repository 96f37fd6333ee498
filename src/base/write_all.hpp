// Writes everything, over short writes and signals. False with errno when it cannot. For blocking
// descriptors: it waits.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace atl {

inline bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace atl
