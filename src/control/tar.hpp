// A tar archive as it is written: headers and padding, content comes between. POSIX.1-2001: what
// the old header cannot say (long names, more than 8 GiB) goes into an extended one. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace atl::control {

struct TarEntry {
  enum class Kind { kFile, kDirectory, kSymlink };
  Kind kind = Kind::kFile;
  std::string name;  // relative; a directory's gets its slash here
  std::uint32_t mode = 0644;
  std::uint64_t size = 0;   // of a file
  std::int64_t mtime = 0;   // seconds
  std::string link_target;  // of a symlink
};

std::string tar_header(const TarEntry& entry);
// What follows `size` bytes of content.
std::string_view tar_padding(std::uint64_t size);
std::string_view tar_end();

}  // namespace atl::control
