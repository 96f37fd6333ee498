// Control groups of native sandboxes, on cgroup v1 and v2 hosts alike. Under ROOT/atoll/ lie one leaf
// per slot, for user code, which carries the limits, and one leaf `guests` for all guests, so that
// neither a fork bomb nor the OOM killer reaches them. A process enters by writing "0" to `tasks`
// itself (v1): a write of its pid to `cgroup.procs` waits for an RCU grace period, 7 ms after idle.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "engine/launcher_protocol.hpp"

namespace atl::engine {

enum Controller : std::uint8_t { kMemory, kCpu, kCpuAcct, kPids, kFreezer, kControllerCount };

// The leaf of one slot, claimed and open.
class SlotCgroup {
 public:
  bool has(Controller controller) const { return static_cast<bool>(dirs_[controller]); }
  bool unified() const { return unified_; }
  // Sets every limit that the host can enforce; `walls` receives the bits of those that hold.
  Result<void> set_limits(const Limits& limits, std::uint32_t& walls);
  UsageFigures usage() const;
  Result<void> freeze(bool frozen) const;
  bool empty() const;
  // `tasks` (v1) for writing "0", one per controller; the v2 folder for CLONE_INTO_CGROUP.
  Result<UniqueFd> open_tasks(Controller controller) const;
  int v2_dir() const { return dirs_[kMemory].get(); }

 private:
  friend class Cgroups;
  std::uint64_t oom_kills() const;

  std::array<UniqueFd, kControllerCount> dirs_;  // v2: all in dirs_[kMemory]
  bool unified_ = false;
  std::uint64_t oom_kills_before_ = 0;  // the leaf is reused, its counter is not reset
};

// The hierarchies of this host. Without any (rootless on v1), slots have no cgroup.
class Cgroups {
 public:
  static Cgroups detect();
  bool available() const { return unified_ || roots_[kMemory] || roots_[kPids]; }
  bool unified() const { return unified_; }
  // Finds or makes the leaf of slot `number`.
  Result<SlotCgroup> open_slot(unsigned number) const;
  // `tasks` of the leaf for guests (v1), or its folder (v2).
  Result<UniqueFd> open_guest_tasks(Controller controller) const;
  Result<UniqueFd> open_guest_dir() const;
  bool has(Controller controller) const { return static_cast<bool>(roots_[controller]); }

 private:
  Result<UniqueFd> open_leaf(Controller controller, const char* name) const;

  std::array<UniqueFd, kControllerCount> roots_;  // v2: all in roots_[kMemory]
  bool unified_ = false;
};

}  // namespace atl::engine
