#include "cli/inside_view.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <string_view>

#include "base/unique_fd.hpp"

namespace atl::cli {
namespace {

// What of the host's root is seen inside at all.
constexpr std::string_view kRootNames[] = {"bin",  "etc", "lib", "lib32",    "lib64",
                                           "sbin", "tmp", "usr", "workspace"};

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.size() > 1;
  return path.starts_with(folder) && path.substr(folder.size(), 1) == "/";
}

std::vector<std::string> names_on_host(const std::string& folder) {
  std::vector<std::string> names;
  int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
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

// The mount that provides `folder`, the innermost one; nullptr: the host's own tree.
const MountText* mount_of(const std::string& folder, std::span<const MountText> mounts) {
  const MountText* best = nullptr;
  for (const MountText& mount : mounts) {
    bool holds = mount.target == folder || is_below(folder, mount.target);
    if (holds && (best == nullptr || mount.target.size() > best->target.size())) best = &mount;
  }
  return best;
}

// Empty inside at first, whatever the host has there.
bool starts_empty(const std::string& folder) {
  for (std::string_view own : {"/workspace", "/tmp", "/proc", "/dev"}) {
    if (folder == own || is_below(folder, own)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> names_in_host_root(const std::string& folder) {
  if (folder == "/") return {std::begin(kRootNames), std::end(kRootNames)};
  return names_on_host(folder);
}

std::vector<std::string> names_inside(const std::string& folder, std::span<const MountText> mounts,
                                      const InsideRoot& root) {
  std::vector<std::string> names;
  if (const MountText* mount = mount_of(folder, mounts); mount != nullptr) {
    names = names_on_host(mount->source + folder.substr(mount->target.size()));
  } else if (!starts_empty(folder)) {
    names = root(folder);
  }
  if (folder == "/") names.insert(names.end(), {"tmp", "workspace"});
  for (const MountText& mount : mounts) {
    if (!is_below(mount.target, folder)) continue;
    std::string_view rest =
        std::string_view(mount.target).substr(folder == "/" ? 1 : folder.size() + 1);
    names.emplace_back(rest.substr(0, rest.find('/')));
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace atl::cli
