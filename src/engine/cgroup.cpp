#include "engine/cgroup.hpp"

#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "confine/walls.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

using confine::Wall;

constexpr const char* kNames[kControllerCount] = {"memory", "cpu", "cpuacct", "pids", "freezer"};
constexpr int kFolder = O_RDONLY | O_DIRECTORY;

bool write_number(int dir, const char* name, std::uint64_t value) {
  return write_file(dir, name, Text("%lu", value));
}

// The number behind `key`, or the first number of the file; 0 where there is none, as in `dir` -1.
std::uint64_t read_number(int dir, const char* name, const char* key = "") {
  std::string text = read_file(dir, name);
  const char* at = std::strstr(text.c_str(), key);
  return at != nullptr ? std::strtoull(at + std::strlen(key), nullptr, 10) : 0;
}

bool set_memory(int dir, std::uint64_t bytes, bool unified) {
  if (unified) return write_number(dir, "memory.max", bytes);
  if (write_number(dir, "memory.limit_in_bytes", bytes)) {
    write_number(dir, "memory.memsw.limit_in_bytes", bytes);  // absent without swap accounting
    return true;
  }
  // A limit above that of memory and swap together is refused, so that one is raised first.
  return errno == EINVAL && write_number(dir, "memory.memsw.limit_in_bytes", bytes) &&
         write_number(dir, "memory.limit_in_bytes", bytes);
}

// One by one: a host may keep some to itself, and only their limits do not hold then. None where
// processes sit in the root, as in a container's: memory would be refused, and cpu or pids alone
// would make a threaded group of it, below which no process could be put. The host's own root,
// which has no type, is free of that rule.
void hand_down_controllers(int root) {
  bool host_root = ::faccessat(root, "cgroup.type", F_OK, 0) != 0;
  if (!host_root && !read_file(root, "cgroup.procs").empty()) return;
  for (const char* name : {"+memory", "+cpu", "+pids"}) {
    write_file(root, "cgroup.subtree_control", name);
    write_file(root, "atoll/cgroup.subtree_control", name);
  }
}

}  // namespace

Cgroups Cgroups::detect() {
  Cgroups found;
  struct statfs fs{};
  if (::statfs("/sys/fs/cgroup", &fs) != 0) return found;
  found.unified_ = fs.f_type == CGROUP2_SUPER_MAGIC;
  for (int i = 0; i < (found.unified_ ? 1 : kControllerCount); ++i) {
    Text path("/sys/fs/cgroup/%s", found.unified_ ? "" : kNames[i]);
    UniqueFd dir(::open(path.c_str(), kFolder | O_CLOEXEC));
    // Writable for us? Rootless on v1 is not, and then there are no cgroups at all.
    if (dir && ::faccessat(dir.get(), ".", W_OK, AT_EACCESS) == 0) found.roots_[i] = std::move(dir);
  }
  return found;
}

UniqueFd Cgroups::open_leaf(Controller controller, const char* name) const {
  int root = roots_[unified_ ? kMemory : controller].get();
  Text path("atoll/%s", name);
  UniqueFd leaf = open_at(root, path.c_str(), kFolder);
  if (leaf || errno != ENOENT || !make_folder(root, "atoll", 0755)) return leaf;
  if (unified_) hand_down_controllers(root);
  if (!make_folder(root, path.c_str(), 0755)) return {};
  return open_at(root, path.c_str(), kFolder);
}

Outcome<SlotCgroup> Cgroups::open_slot(unsigned number, const UsageFigures* start) const {
  Text name("slot-%u", number);
  SlotCgroup slot;
  slot.unified_ = unified_;
  for (int i = 0; i < kControllerCount; ++i) {
    if (!roots_[i]) continue;
    slot.dirs_[i] = open_leaf(static_cast<Controller>(i), name.c_str());
    if (!slot.dirs_[i]) return failed(Step::kCgroup);
  }
  if (slot.dir(kCpu) >= 0) slot.guest_ = open_leaf(kCpu, Text("guest-%u", number).c_str());
  // v2 has a limit for swap alone, which is always the same; v1 a mark that can be reset.
  const char* file = unified_ ? "memory.swap.max" : "memory.max_usage_in_bytes";
  if (!start) write_number(slot.dir(kMemory), file, 0);
  slot.start_ = start ? *start : slot.counters();
  return slot;
}

Outcome<void> Cgroups::open_tasks(const SlotCgroup& slot, ControllerFds& user,
                                  ControllerFds& guest) const {
  const char* file = unified_ ? "cgroup.procs" : "tasks";
  for (int i = 0; i < kControllerCount; ++i) {
    if (!slot.dirs_[i]) continue;
    user[i] = open_at(slot.dirs_[i].get(), file, O_WRONLY);
    if (!user[i]) return failed(Step::kCgroup);
    // The guest's own time is the sandbox's time too, so it stays in the account's leaf.
    if (i == kCpuAcct) continue;
    bool own = unified_ || i == kCpu;
    UniqueFd shared = own ? UniqueFd() : open_leaf(static_cast<Controller>(i), "guests");
    guest[i] = open_at(own ? slot.guest_.get() : shared.get(), file, O_WRONLY);
    if (!guest[i]) return failed(Step::kCgroup);
  }
  return {};
}

Outcome<void> SlotCgroup::set_limits(const Limits& limits, std::uint32_t& walls) const {
  int error = 0;
  auto hold = [&](Wall wall, Controller controller, auto set) {
    if (dir(controller) < 0 || !confine::wall_up(wall)) return;
    bool held = set(dir(controller));
    if (!held) error = errno;
    if (held) walls |= static_cast<std::uint32_t>(wall);
  };
  // µs of every 100 ms, which is the period of both versions.
  std::uint64_t quota = std::max<std::uint64_t>(100 * std::uint64_t{limits.cpu_milli}, 1000);
  hold(Wall::kMemoryLimit, kMemory,
       [&](int at) { return set_memory(at, limits.memory_bytes, unified_); });
  const char* cpu = unified_ ? "cpu.max" : "cpu.cfs_quota_us";
  // The guest gets as much again: programs that use up theirs must not keep it from answering.
  hold(Wall::kCpuLimit, kCpu, [&](int at) {
    return write_number(at, cpu, quota) && write_number(guest_.get(), cpu, quota);
  });
  hold(Wall::kPidsLimit, kPids, [&](int at) { return write_number(at, "pids.max", limits.pids); });
  // On v2 a controller that was not given to us looks like a refusal: that limit does not hold.
  if (error != 0 && !unified_) return failed(Step::kLimits, error);
  return {};
}

UsageFigures SlotCgroup::counters() const {
  int at = dir(kMemory);
  auto time = [](int leaf) { return 1000 * read_number(leaf, "cpu.stat", "usage_usec "); };
  UsageFigures now;
  now.cpu_ns =
      unified_ ? time(at) + time(guest_.get()) : read_number(dir(kCpuAcct), "cpuacct.usage");
  now.memory_bytes = read_number(at, unified_ ? "memory.current" : "memory.usage_in_bytes");
  now.memory_peak_bytes = read_number(at, unified_ ? "memory.peak" : "memory.max_usage_in_bytes");
  now.oom_kills = read_number(at, unified_ ? "memory.events" : "memory.oom_control", "oom_kill ");
  now.pids = read_number(dir(kPids), "pids.current");
  return now;
}

UsageFigures SlotCgroup::usage() const {
  UsageFigures now = counters();
  now.cpu_ns -= start_.cpu_ns;
  now.oom_kills -= start_.oom_kills;
  // v2 keeps the mark of the tenant with the most: below it, at least the present is known.
  if (now.memory_peak_bytes <= start_.memory_peak_bytes) now.memory_peak_bytes = now.memory_bytes;
  return now;
}

Outcome<void> SlotCgroup::freeze(bool frozen) const {
  int leaf = dir(kFreezer);
  if (leaf < 0) return failed(Step::kCgroup, EOPNOTSUPP);
  bool done = unified_ ? write_file(leaf, "cgroup.freeze", frozen ? "1" : "0")
                       : write_file(leaf, "freezer.state", frozen ? "FROZEN" : "THAWED");
  if (!done) return failed(Step::kCgroup);
  if (!frozen) return {};
  // Each process stops when it next comes by; v1 has no file that could be polled for that.
  for (int waited = 0; waited < 1000; ++waited) {  // ms
    std::string state = read_file(leaf, unified_ ? "cgroup.events" : "freezer.state");
    if (state.find(unified_ ? "frozen 1" : "FROZEN") != std::string::npos) return {};
    ::usleep(1000);
  }
  (void)freeze(false);
  return failed(Step::kCgroup, ETIMEDOUT);
}

std::string SlotCgroup::processes() const {
  return read_file(dir(kMemory) >= 0 ? dir(kMemory) : dir(kPids), "cgroup.procs");
}

bool SlotCgroup::end_all() const {
  if (empty()) return true;
  if (unified_) return !write_number(dir(kMemory), "cgroup.kill", 1);
  // While they stand still none of their numbers can go to another process.
  if (!freeze(true)) return false;
  std::string found = processes();
  for (const char* at = found.c_str(); *at != '\0'; at = std::strchr(at, '\n') + 1) {
    send_kill(UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, std::atoi(at), 0))));
  }
  (void)freeze(false);
  return false;
}

}  // namespace atl::engine
