#include "cli/run/inside_view.hpp"

#include <algorithm>
#include <string_view>

#include "sandbox/host_root.hpp"

namespace atl::cli {
namespace {

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.size() > 1;
  return path.starts_with(folder) && path.substr(folder.size(), 1) == "/";
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

}  // namespace

std::vector<std::string> names_inside(const std::string& folder, bool follow,
                                      std::span<const MountText> mounts, const InsideRoot& root) {
  std::vector<std::string> names;
  if (const MountText* mount = mount_of(folder, mounts); mount != nullptr) {
    names = sandbox::names_on_host(mount->source + folder.substr(mount->target.size()), follow);
  } else if (!sandbox::starts_empty(folder)) {
    names = root(folder, follow);
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
