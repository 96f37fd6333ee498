// Opening files of the sandbox on the user's behalf. Every path goes through openat2 without magic
// links, and nothing on procfs is touched: /proc/self would be the guest itself.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "guest/messages.hpp"
#include "guest/protocol.hpp"

namespace atl::guest {

// While it lives, file access has the user's rights and makes the user's files.
class AsUser {
 public:
  explicit AsUser(const GuestConfig& config);
  ~AsUser();
  AsUser(const AsUser&) = delete;
  AsUser& operator=(const AsUser&) = delete;

 private:
  bool switched_;
};

// "Opening "a" failed: No such file or directory.", from errno.
std::unexpected<Error> fail_path(const char* what, std::string_view path);

// Relative paths start at /workspace. Refuses empty paths and NUL bytes.
Result<std::string> absolute(std::string_view path);

// `flags` beside O_CLOEXEC | O_NOCTTY | O_NONBLOCK; symlinks are followed as for the user.
Result<UniqueFd> open_path(std::string_view path, int flags);
// Below `dir`, one or more components, no symlink anywhere.
Result<UniqueFd> open_below(const UniqueFd& dir, const std::string& path, int flags);
bool on_procfs(const UniqueFd& fd);

// The directory that holds the last component, and that component.
struct Place {
  UniqueFd dir;
  std::string name;
};
Result<Place> open_place(std::string_view path, bool make_parents = false);
// mkdir -p; the open directory.
Result<UniqueFd> make_directories(std::string_view path, std::uint32_t mode);

FileInfo file_info(const struct stat& status, std::string path);
std::string read_link(int dir, const char* name);

}  // namespace atl::guest
