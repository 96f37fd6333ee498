#include "engine/cgroup.hpp"

#include <linux/magic.h>
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
constexpr std::uint64_t kPeriodUs = 100'000;
constexpr int kFolder = O_RDONLY | O_DIRECTORY;

bool write_number(int dir, const char* name, std::uint64_t value) {
  return write_file(dir, name, Text("%lu", value));
}

// The number behind `key`, or the first number of the file; 0 where there is no such controller.
std::uint64_t read_number(int dir, const char* name, const char* key = "") {
  if (dir < 0) return 0;
  std::string text = read_file(dir, name);
  const char* at = std::strstr(text.c_str(), key);
  return at != nullptr ? std::strtoull(at + std::strlen(key), nullptr, 10) : 0;
}

bool set_memory_v1(int dir, std::uint64_t bytes) {
  if (write_number(dir, "memory.limit_in_bytes", bytes)) {
    write_number(dir, "memory.memsw.limit_in_bytes", bytes);  // absent without swap accounting
    return true;
  }
  // A limit above that of memory and swap together is refused, so that one is raised first.
  return errno == EINVAL && write_number(dir, "memory.memsw.limit_in_bytes", bytes) &&
         write_number(dir, "memory.limit_in_bytes", bytes);
}

bool set_memory_v2(int dir, std::uint64_t bytes) {
  bool set = write_number(dir, "memory.max", bytes);
  write_file(dir, "memory.swap.max", "0");  // absent where the kernel has no swap accounting
  return set;
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
  found.unified_ = found.unified_ && found.roots_[kMemory];
  return found;
}

UniqueFd Cgroups::open_leaf(Controller controller, const char* name) const {
  int root = roots_[unified_ ? kMemory : controller].get();
  Text path("atoll/%s", name);
  UniqueFd leaf = open_at(root, path.c_str(), kFolder);
  if (leaf || errno != ENOENT || !make_folder(root, "atoll", 0755)) return leaf;
  if (unified_) {
    constexpr std::string_view kEnable = "+memory +cpu +pids";
    write_file(root, "cgroup.subtree_control", kEnable);  // usually on already; limits tell
    if (!write_file(root, "atoll/cgroup.subtree_control", kEnable)) return {};
  }
  if (!make_folder(root, path.c_str(), 0755)) return {};
  return open_at(root, path.c_str(), kFolder);
}

Outcome<SlotCgroup> Cgroups::open_slot(unsigned number) const {
  Text name("slot-%u", number);
  SlotCgroup slot;
  slot.unified_ = unified_;
  for (int i = 0; i < kControllerCount; ++i) {
    if (!roots_[i]) continue;
    slot.dirs_[i] = open_leaf(static_cast<Controller>(i), name.c_str());
    if (!slot.dirs_[i]) return failed(Step::kCgroup);
  }
  if (slot.dir(kCpu) >= 0) slot.guest_ = open_leaf(kCpu, Text("guest-%u", number).c_str());
  slot.oom_kills_before_ = slot.oom_kills();
  if (!unified_ && slot.dirs_[kMemory]) {
    write_number(slot.dir(kMemory), "memory.max_usage_in_bytes", 0);
  }
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
    UniqueFd shared;
    bool own = unified_ || i == kCpu;
    if (!own) shared = open_leaf(static_cast<Controller>(i), "guests");
    guest[i] = open_at(own ? slot.guest_.get() : shared.get(), file, O_WRONLY);
    if (!guest[i]) return failed(Step::kCgroup);
  }
  return {};
}

Outcome<void> SlotCgroup::set_limits(const Limits& limits, std::uint32_t& walls) const {
  int error = 0;
  auto hold = [&](Wall wall, Controller controller, auto set) {
    if (dir(controller) < 0 || !confine::wall_up(wall)) return;
    if (set(dir(controller))) {
      walls |= static_cast<std::uint32_t>(wall);
    } else {
      error = errno;
    }
  };
  std::uint64_t quota = std::max<std::uint64_t>(kPeriodUs * limits.cpu_milli / 1000, 1000);
  hold(Wall::kMemoryLimit, kMemory,
       [&](int at) { return (unified_ ? set_memory_v2 : set_memory_v1)(at, limits.memory_bytes); });
  auto set_cpu = [&](int at) {
    return unified_ ? write_file(at, "cpu.max", Text("%lu %lu", quota, kPeriodUs))
                    : write_number(at, "cpu.cfs_quota_us", quota);
  };
  // The guest gets as much again: programs that use up theirs must not keep it from answering.
  hold(Wall::kCpuLimit, kCpu, [&](int at) { return set_cpu(at) && set_cpu(guest_.get()); });
  hold(Wall::kPidsLimit, kPids, [&](int at) { return write_number(at, "pids.max", limits.pids); });
  // On v2 a controller that was not given to us looks like a refusal: that limit does not hold.
  if (error != 0 && !unified_) return failed(Step::kLimits, error);
  return {};
}

std::uint64_t SlotCgroup::oom_kills() const {
  return read_number(dir(kMemory), unified_ ? "memory.events" : "memory.oom_control", "oom_kill ");
}

UsageFigures SlotCgroup::usage() const {
  int memory = dir(kMemory);
  UsageFigures figures;
  figures.cpu_ns = unified_ ? 1000 * read_number(memory, "cpu.stat", "usage_usec ")
                            : read_number(dir(kCpuAcct), "cpuacct.usage");
  figures.memory_bytes = read_number(memory, unified_ ? "memory.current" : "memory.usage_in_bytes");
  const char* peak = unified_ ? "memory.peak" : "memory.max_usage_in_bytes";
  figures.memory_peak_bytes = read_number(memory, peak);
  figures.oom_kills = oom_kills() - oom_kills_before_;
  figures.pids = read_number(dir(kPids), "pids.current");
  return figures;
}

Outcome<void> SlotCgroup::freeze(bool frozen) const {
  if (dir(kFreezer) < 0) return failed(Step::kCgroup, EOPNOTSUPP);
  bool done = unified_ ? write_file(dir(kFreezer), "cgroup.freeze", frozen ? "1" : "0")
                       : write_file(dir(kFreezer), "freezer.state", frozen ? "FROZEN" : "THAWED");
  if (!done) return failed(Step::kCgroup);
  return {};
}

bool SlotCgroup::empty() const {
  for (const UniqueFd& leaf : dirs_) {
    if (leaf) return read_file(leaf.get(), unified_ ? "cgroup.procs" : "tasks").empty();
  }
  return true;
}

}  // namespace atl::engine
