// Control groups of native sandboxes, on cgroup v1 and v2 hosts alike. Under ROOT/atoll/ lie a leaf
// slot-N for the user code of each slot, which carries the limits, and others for the guests, so
// that neither a fork bomb nor the OOM killer reaches them (v1: `guests`; v2, and v1's cpu:
// guest-N). A process enters by writing "0" to `tasks` itself (v1): a write to `cgroup.procs` waits
// for an RCU grace period after idle, which on v2 only the mount option favordynmods spares it.
#pragma once

#include <array>
#include <string>

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
  // Comes back when everything stands still, or fails within a second with everything running.
  Outcome<void> freeze(bool frozen) const;
  bool empty() const { return processes().empty(); }
  // Kills what is in it; true when nothing was.
  bool end_all() const;
  const UsageFigures& start() const { return start_; }

 private:
  friend class Cgroups;
  // Of a controller, -1 where the host has none.
  int dir(Controller controller) const { return dirs_[unified_ ? kMemory : controller].get(); }
  UsageFigures counters() const;
  std::string processes() const;  // their numbers, a line each

  ControllerFds dirs_;  // v2: all in dirs_[kMemory]
  UniqueFd guest_;      // the guest's leaf, where its cpu time is limited as well
  bool unified_ = false;
  UsageFigures start_;  // what its counters said when the tenant came: it is reused, they go on
};

// The hierarchies of this host. Without any (rootless on v1), slots have no cgroup.
class Cgroups {
 public:
  static Cgroups detect();
  bool available() const { return roots_[kMemory] || roots_[kPids]; }
  // Finds or makes the leaf of slot `number`; with `start` that of a sandbox that lives there.
  Outcome<SlotCgroup> open_slot(unsigned number, const UsageFigures* start = nullptr) const;
  // `tasks` (v2: `cgroup.procs`) of the slot's two leaves, for writing "0".
  Outcome<void> open_tasks(const SlotCgroup& slot, ControllerFds& user, ControllerFds& guest) const;

 private:
  UniqueFd open_leaf(Controller controller, const char* name) const;

  ControllerFds roots_;  // v2: all in roots_[kMemory]
  bool unified_ = false;
};

}  // namespace atl::engine
