#include "backends/native/delegated_cgroup.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/cgroup_limits.hpp"

namespace atl::backends::native {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr const char* kProcesses = "cgroup.procs";

std::string read_file(int dir, const char* name) {
  UniqueFd file(::openat(dir, name, O_RDONLY | O_CLOEXEC));
  std::string text;
  char part[4096];
  for (ssize_t size = 1; file && size > 0;) {
    size = ::read(file.get(), part, sizeof part);
    if (size > 0) text.append(part, static_cast<std::size_t>(size));
  }
  return text;
}

// Making groups, moving processes and handing controllers down all work here.
bool is_ours(const UniqueFd& group) {
  for (const char* name : {".", kProcesses, "cgroup.subtree_control"}) {
    if (!group || ::faccessat(group.get(), name, W_OK, AT_EACCESS) != 0) return false;
  }
  return true;
}

bool can_limit(const UniqueFd& group) {
  return read_file(group.get(), "cgroup.controllers").find("memory") != std::string::npos;
}

// A group with processes in it cannot hand controllers down (cgroups(7), "no internal processes").
// What sits there moves into a leaf; whoever forks meanwhile is met in the next round.
bool move_processes_out(const UniqueFd& group) {
  constexpr int kRounds = 64;
  if (::mkdirat(group.get(), "atoll-host", 0755) != 0 && errno != EEXIST) return false;
  UniqueFd leaf(::openat(group.get(), "atoll-host/cgroup.procs", O_WRONLY | O_CLOEXEC));
  for (int round = 0; leaf && round < kRounds; ++round) {
    std::string found = read_file(group.get(), kProcesses);
    if (found.empty()) return true;
    std::string first = found.substr(0, found.find('\n'));
    (void)!::write(leaf.get(), first.data(), first.size());
  }
  return false;
}

}  // namespace

UniqueFd find_delegated_cgroup() {
  if (!has_unified_cgroups()) return {};
  std::string line = read_file(AT_FDCWD, "/proc/self/cgroup");  // v2 alone: "0::/a/b\n"
  if (!line.starts_with("0::/")) return {};
  std::string own = "/sys/fs/cgroup" + line.substr(3, line.find('\n') - 3);
  UniqueFd first(::open(own.c_str(), kFolder));
  UniqueFd at(::open(own.c_str(), kFolder));
  while (is_ours(at)) {
    if (can_limit(at) && read_file(at.get(), kProcesses).empty()) return at;
    at.reset(::openat(at.get(), "..", kFolder));
  }
  if (is_ours(first) && can_limit(first) && move_processes_out(first)) return first;
  return {};
}

}  // namespace atl::backends::native
