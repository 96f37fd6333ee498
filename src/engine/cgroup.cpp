#include "engine/cgroup.hpp"

#include <sys/syscall.h>

#include <cstdlib>
#include <cstring>

#include "base/cgroup_limits.hpp"
#include "confine/walls.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

using confine::Wall;

constexpr const char* kNames[kControllerCount] = {"memory", "cpu", "cpuacct", "pids", "freezer"};
constexpr auto kSame = static_cast<gid_t>(-1);

}  // namespace

Text group_of(const Cgroups& host, Leaf leaf, unsigned number) {
  bool zygote = leaf == Leaf::kZygote;
  Text group("%s/", host.base().c_str());
  if (!host.unified) return group;
  unsigned place = zygote ? number : (number - kFirstZygoteSlot) / kSlotsPerZygote;
  if (zygote || number >= kFirstZygoteSlot) group = Text("%splace-%u/", group.c_str(), place);
  return zygote ? group : Text("%sbox-%u/", group.c_str(), number);
}

Text path_of(const Cgroups& host, Leaf leaf, unsigned number, Controller controller,
             const char* file) {
  Text group = group_of(host, leaf, number);
  if (!host.unified && !has_own(leaf, controller)) return Text("%sguests/%s", group.c_str(), file);
  const char* kind = leaf == Leaf::kSlot ? "slot" : leaf == Leaf::kGuest ? "guest" : "zygote";
  return Text("%s%s-%u/%s", group.c_str(), kind, number, file);
}

Cgroups Cgroups::detect() {
  Cgroups found{.roots = {}, .unified = has_unified_cgroups()};
  for (int i = 0; i < (found.unified ? 1 : kControllerCount); ++i) {
    Text path("/sys/fs/cgroup/%s", found.unified ? "" : kNames[i]);
    UniqueFd dir(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Writable for us? Rootless on v1 is not, and then there are no cgroups at all.
    if (dir && ::faccessat(dir.get(), ".", W_OK, AT_EACCESS) == 0) found.roots[i] = std::move(dir);
  }
  return found;
}

Cgroups Cgroups::delegated(UniqueFd group, const UniqueFd& shared) {
  Cgroups found;
  struct stat info{};
  if (!group || ::fstat(shared.get(), &info) != 0) return found;
  found.unified = true;
  found.owner = info.st_ino;
  found.roots[kMemory] = std::move(group);
  return found;
}

bool SlotCgroup::open_tasks(Leaf leaf, ControllerFds& tasks, uid_t owner) const {
  for (int i = 0; i < kControllerCount; ++i) {
    int root = host_->roots[i].get();
    if (root < 0 || (leaf == Leaf::kGuest && i == kCpuAcct)) continue;
    const char* file = host_->unified ? kProcesses : "tasks";
    Text path = path_of(*host_, leaf, number_, static_cast<Controller>(i), file);
    if (owner != 0 && ::fchownat(root, path.c_str(), owner, kSame, 0) != 0) return false;
    ActingAs acting(owner, true);
    tasks[i] = open_at(root, path.c_str(), O_WRONLY);
    if (!tasks[i]) return false;
  }
  return true;
}

Outcome<void> SlotCgroup::open_doors(uid_t owner) {
  if (host_ == nullptr || doors_.user[host_->counted()]) return {};
  bool unified = host_->unified, slot = has_guest();
  Text group("%s%s", group_of(*host_, leaf_, number_).c_str(), kProcesses);
  int root = host_->root(kMemory);
  bool given = !unified || owner == 0 || ::fchownat(root, group.c_str(), owner, kSame, 0) == 0;
  bool done = given && open_tasks(leaf_, doors_.user, slot ? owner : 0) &&
              (!slot || open_tasks(Leaf::kGuest, doors_.guest)) &&
              (!slot || !unified || open_tasks(leaf_, doors_.entry));
  return done ? Outcome<void>() : failed(Step::kCgroup);
}

bool SlotCgroup::write(Leaf leaf, Controller controller, const char* file,
                       std::uint64_t value) const {
  Text path = path_of(*host_, leaf, number_, controller, file);
  return write_file(host_->root(controller), path.c_str(), Text("%lu", value));
}

std::string SlotCgroup::read(Leaf leaf, Controller controller, const char* file) const {
  return read_file(host_->root(controller),
                   path_of(*host_, leaf, number_, controller, file).c_str());
}

// The number behind `key`, or the first number of the file; 0 where there is none.
std::uint64_t SlotCgroup::read_number(Leaf leaf, Controller controller, const char* file,
                                      const char* key) const {
  std::string text = read(leaf, controller, file);
  const char* at = std::strstr(text.c_str(), key);
  return at != nullptr ? std::strtoull(at + std::strlen(key), nullptr, 10) : 0;
}

bool SlotCgroup::make_room(std::uint64_t bytes) {
  if (start_.memory_bytes <= bytes / 2 || !confine::wall_up(Wall::kMemoryLimit)) return true;
  written_ = false;
  // Takes back what nobody needs. What is freed late stays.
  write(leaf_, kMemory, host_->unified ? "memory.max" : "memory.limit_in_bytes", bytes / 2);
  start_.memory_bytes = counters().memory_bytes;
  return start_.memory_bytes <= bytes / 2;
}

Outcome<void> SlotCgroup::set_limits(const Limits& limits, std::uint32_t& walls) {
  if (host_ == nullptr) return {};
  bool same = written_ && bytes_of(limits) == bytes_of(limits_);
  if (!same) ATOLL_CHECK(write_limits(limits));
  walls |= walls_;
  return {};
}

Outcome<void> SlotCgroup::write_limits(const Limits& limits) {
  int error = 0;
  written_ = false;
  walls_ = 0;
  auto hold = [&](Wall wall, Controller controller, auto set) {
    if (host_->root(controller) < 0 || !confine::wall_up(wall)) return;
    bool held = set(leaf_) && (!has_guest() || set(Leaf::kGuest));
    if (!held) error = errno;
    if (held) walls_ |= static_cast<std::uint32_t>(wall);
  };
  // What the guest may use itself. Files that it writes for its host lie on the sandbox's tmpfs,
  // and are charged to it.
  constexpr std::uint64_t kGuestMemory = 64 << 20, kGuestPids = 64;
  std::uint64_t guest_memory = kGuestMemory + std::min(limits.disk_bytes, limits.memory_bytes / 2);
  hold(Wall::kMemoryLimit, kMemory, [&](Leaf leaf) {
    std::uint64_t bytes = leaf == Leaf::kGuest ? guest_memory : limits.memory_bytes;
    auto set = [&](const char* file, auto value) { return write(leaf, kMemory, file, value); };
    return set_memory_limit(host_->unified, bytes, set);
  });
  // µs of every 100 ms, which is the period of both versions. The guest gets as much again:
  // programs that use up theirs must not keep it from answering.
  std::uint64_t quota = std::max<std::uint64_t>(100 * std::uint64_t{limits.cpu_milli}, 1000);
  const char* cpu = host_->unified ? "cpu.max" : "cpu.cfs_quota_us";
  hold(Wall::kCpuLimit, kCpu, [&](Leaf leaf) { return write(leaf, kCpu, cpu, quota); });
  hold(Wall::kPidsLimit, kPids, [&](Leaf leaf) {
    return write(leaf, kPids, "pids.max", leaf == Leaf::kGuest ? kGuestPids : limits.pids);
  });
  // On v2 a controller that was not given to us looks like a refusal: that limit does not hold.
  if (error != 0 && !host_->unified) return failed(Step::kLimits, error);
  limits_ = limits;
  written_ = true;
  return {};
}

UsageFigures SlotCgroup::counters() const {
  bool unified = host_->unified;
  auto number = [&](Controller controller, const char* v2, const char* v1, const char* key = "") {
    return read_number(leaf_, controller, unified ? v2 : v1, key);
  };
  UsageFigures now;
  auto time = [&](Leaf leaf) { return 1000 * read_number(leaf, kCpu, "cpu.stat", "usage_usec "); };
  now.cpu_ns =
      unified ? time(leaf_) + time(Leaf::kGuest) : read_number(leaf_, kCpuAcct, "cpuacct.usage");
  now.memory_bytes = number(kMemory, "memory.current", "memory.usage_in_bytes");
  now.memory_peak_bytes = number(kMemory, "memory.peak", "memory.max_usage_in_bytes");
  now.oom_kills = number(kMemory, "memory.events", "memory.oom_control", "oom_kill ");
  now.pids = number(kPids, "pids.current", "pids.current");
  return now;
}

UsageFigures SlotCgroup::usage() const {
  if (host_ == nullptr) return {};
  UsageFigures now = counters();
  now.cpu_ns -= start_.cpu_ns;
  now.oom_kills -= start_.oom_kills;
  // v2 keeps the mark of the tenant with the most: below it, at least the present is known.
  if (now.memory_peak_bytes <= start_.memory_peak_bytes) now.memory_peak_bytes = now.memory_bytes;
  return now;
}

void SlotCgroup::start_anew() {
  if (host_ == nullptr) return;
  (void)freeze(false);  // the tenant before may have ended while it was paused
  // v2 has no reset.
  if (!host_->unified) write(leaf_, kMemory, "memory.max_usage_in_bytes", 0);
  start_ = counters();
}

Outcome<void> SlotCgroup::freeze(bool frozen) const {
  if (host_ == nullptr || host_->root(kFreezer) < 0) return failed(Step::kCgroup, EOPNOTSUPP);
  const char* file = host_->unified ? "cgroup.freeze" : "freezer.state";
  const char* state = host_->unified ? (frozen ? "1" : "0") : frozen ? "FROZEN" : "THAWED";
  Text path = path_of(*host_, leaf_, number_, kFreezer, file);
  bool done = write_file(host_->root(kFreezer), path.c_str(), state);
  return done ? Outcome<void>() : failed(Step::kCgroup);
}

bool SlotCgroup::is_frozen() const {
  std::string state = read(leaf_, kFreezer, host_->unified ? "cgroup.events" : "freezer.state");
  return state.find(host_->unified ? "frozen 1" : "FROZEN") != std::string::npos;
}

bool SlotCgroup::empty() const {
  return host_ == nullptr || (read(leaf_, host_->counted(), kProcesses).empty() &&
                              read(Leaf::kGuest, host_->counted(), kProcesses).empty());
}

UniqueFd SlotCgroup::open_processes() const {
  return open_at(host_->root(host_->counted()),
                 path_of(*host_, leaf_, number_, host_->counted(), kProcesses).c_str());
}

}  // namespace atl::engine
