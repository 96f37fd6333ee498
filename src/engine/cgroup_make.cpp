#include "engine/cgroup_make.hpp"

#include <sys/syscall.h>

#include <cstdlib>
#include <set>
#include <vector>

#include "engine/sys.hpp"

namespace atl::engine {
namespace {

// Makes the groups that `path` lies in, and hands controllers down to them. One by one: a host may
// keep some to itself, and only their limits do not hold then. None where processes sit in the
// root, as in a container's: memory would be refused, and cpu or pids alone would make a threaded
// group of it, below which no process could be put. The host's own root, which has no type, is free
// of that rule.
bool make_groups(bool unified, int root, std::string_view path) {
  bool hands_down = unified && (::faccessat(root, "cgroup.type", F_OK, 0) != 0 ||
                                read_file(root, kProcesses).empty());
  for (std::size_t end = 0; end < path.size(); end = path.find('/', end) + 1) {
    std::string group(path.substr(0, end));
    if (end != 0 && !make_folder(root, group.c_str(), 0755)) return false;
    for (const char* name : {"+memory", "+cpu", "+pids"}) {
      if (hands_down) write_file(root, (group + "cgroup.subtree_control").c_str(), name);
    }
  }
  return true;
}

bool make_leaf(const Cgroups& host, Leaf leaf, unsigned number) {
  bool made = true;
  for (int i = 0; i < kControllerCount && made; ++i) {
    int root = host.roots[i].get();
    if (root < 0 || (leaf == Leaf::kGuest && i == kCpuAcct)) continue;
    Text path = path_of(host, leaf, number, static_cast<Controller>(i));
    made = make_folder(root, path.c_str(), 0755);
    // Again when somebody takes the group away that is being filled.
    for (int attempt = 0; attempt < 8 && !made && errno == ENOENT; ++attempt) {
      made = make_groups(host.unified, root, path) && make_folder(root, path.c_str(), 0755);
    }
  }
  // A guest answers while programs burn (docs/adr/0063-weights-of-guests.md).
  if (made && leaf == Leaf::kGuest && host.root(kCpu) >= 0) {
    const char* file = host.unified ? "cpu.weight" : "cpu.shares";
    write_file(host.root(kCpu), path_of(host, leaf, number, kCpu, file).c_str(),
               host.unified ? "1000" : "10240");
  }
  return made;
}

std::set<pid_t> processes(const Cgroups& host, Leaf leaf, unsigned number) {
  Controller counted = host.counted();
  Text path = path_of(host, leaf, number, counted, kProcesses);
  std::string text = read_file(host.root(counted), path.c_str());
  text.resize(text.rfind('\n') + 1);  // a number that is cut off is another one
  std::set<pid_t> found;
  for (char* at = text.data(); *at != '\0'; at += *at == '\n' ? 1 : 0) {
    found.insert(static_cast<pid_t>(std::strtol(at, &at, 10)));
  }
  return found;
}

void remove_leaf(const Cgroups& host, Leaf leaf, unsigned number) {
  // To empty one that is in use would take its page cache, and as long as its processes like.
  if (!processes(host, leaf, number).empty()) return;
  for (int i = 0; i < kControllerCount; ++i) {
    auto controller = static_cast<Controller>(i);
    int root = host.roots[i].get();
    if (root < 0 || !has_own(leaf, controller)) continue;
    // A removed memory cgroup lives on while page cache is charged to it.
    Text empty = path_of(host, leaf, number, controller, "memory.force_empty");
    if (i == kMemory) write_file(root, empty.c_str(), "0");
    ::unlinkat(root, path_of(host, leaf, number, controller).c_str(), AT_REMOVEDIR);
  }
}

}  // namespace

bool make_leaves(const Cgroups& host, Leaf leaf, unsigned number) {
  return make_leaf(host, leaf, number) &&
         (leaf != Leaf::kSlot || make_leaf(host, Leaf::kGuest, number));
}

void remove_leaves(const Cgroups& host, Leaf leaf, unsigned number) {
  remove_leaf(host, leaf, number);
  if (leaf == Leaf::kSlot) remove_leaf(host, Leaf::kGuest, number);
  int root = host.root(kMemory);
  if (host.unified) ::unlinkat(root, group_of(host, leaf, number).c_str(), AT_REMOVEDIR);
  if (host.owner != 0) ::unlinkat(root, host.base().c_str(), AT_REMOVEDIR);
}

void end_processes(const Cgroups& host, Leaf leaf, unsigned number) {
  if (!host.available() || processes(host, leaf, number).empty()) return;
  SlotCgroup cgroup(host, leaf, number);
  if (host.unified) {
    Text path = path_of(host, leaf, number, kMemory, "cgroup.kill");
    write_file(host.root(kMemory), path.c_str(), "1");
    return;
  }
  // Those that stand still make no new ones; nobody waits until all do. So rounds follow: a process
  // that has its signal makes none either, and the last round finds only such.
  constexpr int kRounds = 64;
  (void)cgroup.freeze(true);
  std::set<pid_t> signalled;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::pair<pid_t, UniqueFd>> opened;
    for (pid_t pid : processes(host, leaf, number)) {
      if (signalled.contains(pid)) continue;
      opened.emplace_back(pid, static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    }
    if (opened.empty()) break;
    // A number that is listed still is that of the process that was opened, not of a later one.
    std::set<pid_t> listed = processes(host, leaf, number);
    for (const auto& [pid, process] : opened) {
      if (!process || !listed.contains(pid)) continue;
      send_kill(process);
      signalled.insert(pid);
    }
  }
  (void)cgroup.freeze(false);
}

}  // namespace atl::engine
