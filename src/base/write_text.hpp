// Writes into a file that exists already, as those of /proc and /sys do: in one piece, which is how
// the kernel wants it. False with errno when it cannot. Allocates nothing.
#pragma once

#include <fcntl.h>

#include <string>
#include <string_view>

#include "base/unique_fd.hpp"
#include "base/write_all.hpp"

namespace atl {

inline bool write_text(const char* path, std::string_view text) {
  UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
  return file && write_all(file.get(), text);
}

inline bool write_text(const std::string& path, std::string_view text) {
  return write_text(path.c_str(), text);
}

}  // namespace atl
