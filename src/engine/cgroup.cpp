#include "engine/cgroup.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "confine/walls.hpp"

namespace atl::engine {
namespace {

using confine::Wall;

constexpr const char* kNames[kControllerCount] = {"memory", "cpu", "cpuacct", "pids", "freezer"};
constexpr const char* kRoot = "/sys/fs/cgroup";
constexpr std::uint64_t kPeriodUs = 100'000;

int write_file(int dir, const char* name, std::string_view text) {
  UniqueFd fd(::openat(dir, name, O_WRONLY | O_CLOEXEC));
  if (!fd) return errno;
  return ::write(fd.get(), text.data(), text.size()) < 0 ? errno : 0;
}

int write_number(int dir, const char* name, std::uint64_t value) {
  char text[32];
  int size = std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
  return write_file(dir, name, {text, static_cast<std::size_t>(size)});
}

// The file's first 1023 bytes; empty when unreadable.
std::string read_file(int dir, const char* name) {
  UniqueFd fd(::openat(dir, name, O_RDONLY | O_CLOEXEC));
  char text[1024];
  ssize_t size = fd ? ::read(fd.get(), text, sizeof text - 1) : 0;
  return std::string(text, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

// The number behind `key`, or the first number of the file when key is null.
std::uint64_t read_number(int dir, const char* name, const char* key = nullptr) {
  std::string text = read_file(dir, name);
  const char* at = text.c_str();
  if (key != nullptr) {
    at = std::strstr(at, key);
    if (at == nullptr) return 0;
    at += std::strlen(key);
  }
  return std::strtoull(at, nullptr, 10);
}

}  // namespace

Cgroups Cgroups::detect() {
  Cgroups found;
  struct statfs fs {};
  if (::statfs(kRoot, &fs) != 0) return found;
  found.unified_ = static_cast<std::uint64_t>(fs.f_type) == CGROUP2_SUPER_MAGIC;
  for (int i = 0; i < (found.unified_ ? 1 : kControllerCount); ++i) {
    char path[64];
    std::snprintf(path, sizeof path, "%s/%s", kRoot, found.unified_ ? "" : kNames[i]);
    UniqueFd dir(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Writable for us? Rootless on v1 is not, and then there are no cgroups at all.
    if (dir && ::faccessat(dir.get(), ".", W_OK, AT_EACCESS) == 0) found.roots_[i] = std::move(dir);
  }
  found.unified_ = found.unified_ && found.roots_[kMemory];
  return found;
}

Result<UniqueFd> Cgroups::open_leaf(Controller controller, const char* name) const {
  int root = roots_[unified_ ? kMemory : controller].get();
  char path[64];
  std::snprintf(path, sizeof path, "atoll/%s", name);
  UniqueFd leaf(::openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (leaf) return leaf;
  if (errno != ENOENT) return fail_errno("open cgroup");
  if (::mkdirat(root, "atoll", 0755) != 0 && errno != EEXIST) return fail_errno("mkdir cgroup atoll");
  if (unified_) {
    constexpr std::string_view kEnable = "+memory +cpu +pids";
    write_file(root, "cgroup.subtree_control", kEnable);  // usually on already; limits tell
    int error = write_file(root, "atoll/cgroup.subtree_control", kEnable);
    if (error != 0) return fail_errno("enable cgroup controllers", error);
  }
  if (::mkdirat(root, path, 0755) != 0 && errno != EEXIST) return fail_errno("mkdir cgroup leaf");
  leaf.reset(::openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!leaf) return fail_errno("open cgroup");
  return leaf;
}

Result<SlotCgroup> Cgroups::open_slot(unsigned number) const {
  char name[32];
  std::snprintf(name, sizeof name, "slot-%u", number);
  SlotCgroup slot;
  slot.unified_ = unified_;
  for (int i = 0; i < kControllerCount; ++i) {
    if (!roots_[i]) continue;
    ATOLL_TRY(slot.dirs_[i], open_leaf(static_cast<Controller>(i), name));
  }
  slot.oom_kills_before_ = slot.oom_kills();
  if (!unified_ && slot.has(kMemory)) write_file(slot.dirs_[kMemory].get(), "memory.max_usage_in_bytes", "0");
  return slot;
}

Result<UniqueFd> Cgroups::open_guest_tasks(Controller controller) const {
  ATOLL_TRY(UniqueFd leaf, open_leaf(controller, "guests"));
  UniqueFd tasks(::openat(leaf.get(), "tasks", O_WRONLY | O_CLOEXEC));
  if (!tasks) return fail_errno("open tasks");
  return tasks;
}

Result<UniqueFd> Cgroups::open_guest_dir() const { return open_leaf(kMemory, "guests"); }

Result<UniqueFd> SlotCgroup::open_tasks(Controller controller) const {
  UniqueFd tasks(::openat(dirs_[controller].get(), "tasks", O_WRONLY | O_CLOEXEC));
  if (!tasks) return fail_errno("open tasks");
  return tasks;
}

Result<void> SlotCgroup::set_limits(const Limits& limits, std::uint32_t& walls) {
  auto hold = [&walls](Wall wall) { walls |= static_cast<std::uint32_t>(wall); };
  std::uint64_t quota = std::max<std::uint64_t>(kPeriodUs * limits.cpu_milli / 1000, 1000);
  int error = 0;
  if (unified_) {
    int dir = dirs_[kMemory].get();
    char text[48];
    int size = std::snprintf(text, sizeof text, "%llu %llu", static_cast<unsigned long long>(quota),
                             static_cast<unsigned long long>(kPeriodUs));
    if (confine::wall_up(Wall::kMemoryLimit)) {
      error = write_number(dir, "memory.max", limits.memory_bytes);
      if (error == 0) hold(Wall::kMemoryLimit);
      write_file(dir, "memory.swap.max", "0");  // absent where the kernel has no swap accounting
    }
    if (confine::wall_up(Wall::kCpuLimit)) {
      error = write_file(dir, "cpu.max", {text, static_cast<std::size_t>(size)});
      if (error == 0) hold(Wall::kCpuLimit);
    }
    if (confine::wall_up(Wall::kPidsLimit)) {
      error = write_number(dir, "pids.max", limits.pids);
      if (error == 0) hold(Wall::kPidsLimit);
    }
    return {};
  }
  if (has(kMemory) && confine::wall_up(Wall::kMemoryLimit)) {
    int dir = dirs_[kMemory].get();
    error = write_number(dir, "memory.limit_in_bytes", limits.memory_bytes);
    int swap = write_number(dir, "memory.memsw.limit_in_bytes", limits.memory_bytes);
    if (error == EINVAL) error = write_number(dir, "memory.limit_in_bytes", limits.memory_bytes);
    if (swap == EINVAL) swap = write_number(dir, "memory.memsw.limit_in_bytes", limits.memory_bytes);
    if (error != 0) return fail_errno("set memory limit", error);
    hold(Wall::kMemoryLimit);
  }
  if (has(kCpu) && confine::wall_up(Wall::kCpuLimit)) {
    error = write_number(dirs_[kCpu].get(), "cpu.cfs_quota_us", quota);
    if (error != 0) return fail_errno("set cpu limit", error);
    hold(Wall::kCpuLimit);
  }
  if (has(kPids) && confine::wall_up(Wall::kPidsLimit)) {
    error = write_number(dirs_[kPids].get(), "pids.max", limits.pids);
    if (error != 0) return fail_errno("set pids limit", error);
    hold(Wall::kPidsLimit);
  }
  return {};
}

std::uint64_t SlotCgroup::oom_kills() const {
  if (!has(kMemory)) return 0;
  return unified_ ? read_number(dirs_[kMemory].get(), "memory.events", "oom_kill ")
                  : read_number(dirs_[kMemory].get(), "memory.oom_control", "oom_kill ");
}

UsageFigures SlotCgroup::usage() const {
  UsageFigures figures;
  figures.oom_kills = oom_kills() - oom_kills_before_;
  int memory = dirs_[kMemory].get();
  if (unified_) {
    figures.cpu_ns = 1000 * read_number(memory, "cpu.stat", "usage_usec ");
    figures.memory_bytes = read_number(memory, "memory.current");
    figures.memory_peak_bytes = read_number(memory, "memory.peak");
    figures.pids = read_number(memory, "pids.current");
    return figures;
  }
  if (has(kMemory)) {
    figures.memory_bytes = read_number(memory, "memory.usage_in_bytes");
    figures.memory_peak_bytes = read_number(memory, "memory.max_usage_in_bytes");
  }
  if (has(kCpuAcct)) figures.cpu_ns = read_number(dirs_[kCpuAcct].get(), "cpuacct.usage");
  if (has(kPids)) figures.pids = read_number(dirs_[kPids].get(), "pids.current");
  return figures;
}

Result<void> SlotCgroup::freeze(bool frozen) const {
  int error = unified_      ? write_file(dirs_[kMemory].get(), "cgroup.freeze", frozen ? "1" : "0")
              : has(kFreezer) ? write_file(dirs_[kFreezer].get(), "freezer.state", frozen ? "FROZEN" : "THAWED")
                              : EOPNOTSUPP;
  if (error != 0) return fail_errno("freeze", error);
  return {};
}

bool SlotCgroup::empty() const {
  if (unified_) return read_file(dirs_[kMemory].get(), "cgroup.procs").empty();
  for (int i = 0; i < kControllerCount; ++i) {
    if (dirs_[i]) return read_file(dirs_[i].get(), "tasks").empty();
  }
  return true;
}

}  // namespace atl::engine
