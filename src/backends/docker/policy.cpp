#include "backends/docker/policy.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace atl::backends::docker {
namespace {

using async::Task;

bool is_below(std::string_view path, std::string_view place) {
  return path.starts_with(place) && path.size() > place.size() && path[place.size()] == '/';
}

bool is_at_or_below(std::string_view path, std::string_view place) {
  return path == place || is_below(path, place);
}

// Writable from the start, and empty: /workspace and /tmp.
std::string_view writable_place(std::string_view path) {
  for (std::string_view place : {"/workspace", "/tmp"}) {
    if (is_at_or_below(path, place)) return place;
  }
  return {};
}

std::unexpected<Error> cannot(const std::string& path, const char* why) {
  return fail(Code::kPolicyUnsupported,
              "a file system rule for " + path + " cannot be enforced by docker: " + why);
}

// Rules there would cover one process's files, a device that everybody needs, or the guest.
Result<void> check_reach(const std::string& path, const std::vector<std::string>& mount_targets) {
  for (std::string_view place : {"/proc", "/dev", "/sys", "/opt/atoll", "/run/atoll"}) {
    if (is_at_or_below(path, place)) return cannot(path, "it is the system's own");
  }
  if (path == "/" || is_below("/run/atoll", path) || is_below("/opt/atoll", path)) {
    return cannot(path, "the guest lives below it");
  }
  for (const std::string& target : mount_targets) {
    if (is_at_or_below(path, target)) return cannot(path, "it is in a mount");
  }
  return {};
}

// A name in /workspace that nobody may make is held by a stand-in. Deeper, the folder above it
// could be renamed away together with it.
Result<void> hold_name(const std::string& path, std::string_view place, PolicyMounts& mounts) {
  if (path == place) return cannot(path, "it is always writable");
  if (path.find('/', place.size() + 1) != path.npos) {
    return cannot(path, "only names directly in /workspace and /tmp can be held");
  }
  mounts.hidden_files.push_back(path);
  return {};
}

bool is_writable(const PolicyMounts& mounts, const std::string& path) {
  return std::ranges::any_of(mounts.writable,
                             [&](const auto& place) { return is_at_or_below(path, place); });
}

}  // namespace

Task<Result<PolicyMounts>> policy_mounts(
    sandbox::FilesystemPolicy policy, std::vector<std::string> mount_targets,
    std::function<Task<Result<PathKind>>(std::string path)> kind_of) {
  PolicyMounts mounts;
  for (const std::string& path : policy.allow_write) {
    if (!writable_place(path).empty()) continue;
    ATOLL_CO_CHECK(check_reach(path, mount_targets));
    ATOLL_CO_TRY(PathKind kind, co_await kind_of(path));
    if (kind != PathKind::kFolder) co_return cannot(path, "the image has no such folder");
    mounts.writable.push_back(path);
  }
  for (const std::string& path : policy.deny_write) {
    ATOLL_CO_CHECK(check_reach(path, mount_targets));
    std::string_view place = writable_place(path);
    if (!place.empty()) {
      ATOLL_CO_CHECK(hold_name(path, place, mounts));
    } else if (is_writable(mounts, path)) {
      co_return cannot(path, "an allowWrite rule opens it");
    }  // else: the root is read-only
  }
  for (const std::string& path : policy.deny_read) {
    ATOLL_CO_CHECK(check_reach(path, mount_targets));
    // Empty when the sandbox is made; native leaves such names alone, too.
    if (!writable_place(path).empty() || is_writable(mounts, path)) continue;
    ATOLL_CO_TRY(PathKind kind, co_await kind_of(path));
    if (kind == PathKind::kFolder) mounts.hidden.push_back(path);
    if (kind == PathKind::kFile) mounts.hidden_files.push_back(path);
  }
  co_return mounts;
}

}  // namespace atl::backends::docker
