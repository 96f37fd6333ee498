// Control groups of native sandboxes, on cgroup v1 and v2 hosts alike. Under ROOT/atoll/ lie one
// leaf per slot, for user code, which carries the limits, and one leaf `guests` for all guests, so
// that neither a fork bomb nor the OOM killer reaches them. A process enters by writing "0" to
// `tasks` itself (v1): a write of its pid to `cgroup.procs` waits for an RCU grace period, 7 ms
// after idle.
#pragma once

#include <array>

#include "base/unique_fd.hpp"
#include "engine/failure.hpp"

namespace atl::engine {

enum Controller : std::uint8_t { kMemory, kCpu, kCpuAcct, kPids, kFreezer, kControllerCount };
using ControllerFds = std::array<UniqueFd, kControllerCount>;

// The leaf of one slot, claimed and open.
class SlotCgroup {
 public:
  // Sets every limit that the host can enforce; `walls` receives the bits of those that hold.
  Outcome<void> set_limits(const Limits& limits, std::uint32_t& walls) const;
  UsageFigures usage() const;
  Outcome<void> freeze(bool frozen) const;
  bool empty() const;

 private:
  friend class Cgroups;
  // Of a controller, -1 where the host has none.
  int dir(Controller controller) const { return dirs_[unified_ ? kMemory : controller].get(); }
  std::uint64_t oom_kills() const;

  ControllerFds dirs_;  // v2: all in dirs_[kMemory]
  UniqueFd guest_;      // the guest's leaf, where its cpu time is limited as well
  bool unified_ = false;
  std::uint64_t oom_kills_before_ = 0;  // the leaf is reused, its counter is not reset
};

// The hierarchies of this host. Without any (rootless on v1), slots have no cgroup.
class Cgroups {
 public:
  static Cgroups detect();
  bool available() const { return unified_ || roots_[kMemory] || roots_[kPids]; }
  // Finds or makes the leaf of slot `number`.
  Outcome<SlotCgroup> open_slot(unsigned number) const;
  // `tasks` (v2: `cgroup.procs`) of the slot's two leaves, for writing "0".
  Outcome<void> open_tasks(const SlotCgroup& slot, ControllerFds& user, ControllerFds& guest) const;

 private:
  UniqueFd open_leaf(Controller controller, const char* name) const;

  ControllerFds roots_;  // v2: all in roots_[kMemory]
  bool unified_ = false;
};

}  // namespace atl::engine
