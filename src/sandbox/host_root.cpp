#include "sandbox/host_root.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <string_view>

#include "base/unique_fd.hpp"

namespace atl::sandbox {
namespace {

// What of the host's root is seen inside at all.
constexpr std::string_view kRootNames[] = {"bin",  "etc", "lib", "lib32",    "lib64",
                                           "sbin", "tmp", "usr", "workspace"};

}  // namespace

std::vector<std::string> names_on_host(const std::string& folder, bool follow) {
  std::vector<std::string> names;
  int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW);
  UniqueFd fd(::open(folder.c_str(), flags));
  DIR* listing = fd ? ::fdopendir(fd.get()) : nullptr;
  if (listing == nullptr) return names;
  (void)fd.release();  // closedir closes it
  while (const dirent* entry = ::readdir(listing)) {
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(listing);
  return names;
}

std::vector<std::string> names_in_host_root(const std::string& folder, bool follow) {
  if (folder == "/") return {std::begin(kRootNames), std::end(kRootNames)};
  return names_on_host(folder, follow);
}

bool starts_empty(const std::string& folder) {
  for (std::string_view own : {"/workspace", "/tmp", "/proc", "/dev"}) {
    if (folder == own || (folder.starts_with(own) && folder[own.size()] == '/')) return true;
  }
  return false;
}

}  // namespace atl::sandbox
