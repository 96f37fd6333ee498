// Control groups of native sandboxes, on cgroup v1 and v2 hosts alike. Under ROOT/atoll/ lie a leaf
// slot-N for the user code of each slot, which carries the sandbox's limits, and guest-N for its
// guest, so that neither a fork bomb nor the OOM killer reaches it; the guest's leaf has limits of
// its own, because a hijacked guest must not eat the host. (v1: guests share one freezer leaf, and
// have none for their time. v2: both lie in box-N, and those of a zygote's slots in place-P beside
// its own leaf: who may move a process is asked at what source and target have in common.)
// A process enters by writing "0" to `tasks` itself (v1): a write to
// `cgroup.procs` waits for an RCU grace period after idle, which on v2 only the mount option
// favordynmods spares it.
#pragma once

#include <array>
#include <string>

#include "base/unique_fd.hpp"
#include "confine/text.hpp"
#include "engine/failure.hpp"

namespace atl::engine {

enum Controller : std::uint8_t { kMemory, kCpu, kCpuAcct, kPids, kFreezer, kControllerCount };
using confine::Text;
using ControllerFds = std::array<UniqueFd, kControllerCount>;

// The hierarchies of this host. Without any (rootless on v1, or without delegation), slots have no
// cgroup.
struct Cgroups {
  ControllerFds roots;  // v2: all in roots[kMemory]
  bool unified = false;
  unsigned long owner = 0;  // rootless: the folder with the slots' locks, as part of the name

  static Cgroups detect();
  // Rootless on v2: below a group that was delegated to the user. Launchers with another folder
  // number their slots apart.
  static Cgroups delegated(UniqueFd group, const UniqueFd& shared);
  Text base() const { return owner == 0 ? Text("atoll") : Text("atoll-%lu", owner); }
  bool available() const { return roots[kMemory] || roots[kPids]; }
  int root(Controller controller) const { return roots[unified ? kMemory : controller].get(); }
  Controller counted() const { return root(kMemory) >= 0 ? kMemory : kPids; }  // lists processes
};

enum class Leaf { kSlot, kGuest, kZygote };
// Numbers of slots from here on are those of zygotes' sandboxes, so many for each zygote.
inline constexpr unsigned kFirstZygoteSlot = 8192, kSlotsPerZygote = 2048, kMaxZygotes = 16;
inline constexpr const char* kProcesses = "cgroup.procs";

// v1: guests are frozen together with nobody, and their time is their sandbox's.
constexpr bool has_own(Leaf leaf, Controller controller) {
  return leaf != Leaf::kGuest || (controller != kFreezer && controller != kCpuAcct);
}
// Where a leaf lies below the root of a controller, and what it lies in, with a slash.
Text path_of(const Cgroups& host, Leaf leaf, unsigned number, Controller controller,
             const char* file = "");
Text group_of(const Cgroups& host, Leaf leaf, unsigned number);

// The two leaves of one slot, or the one of a zygote. Holds few descriptors: there are many slots.
class SlotCgroup {
 public:
  SlotCgroup() = default;
  // Leaves that are there (cgroup_make.hpp makes them). `host` outlives this.
  SlotCgroup(const Cgroups& host, Leaf leaf, unsigned number, const UsageFigures& start = {})
      : host_(&host), number_(number), leaf_(leaf), start_(start) {}

  // Sets every limit that the host can enforce; `walls` receives the bits of those that hold.
  // Limits that the leaf has already are not written again. EBUSY (v1): there is more memory than
  // that in it now; ask again.
  Outcome<void> set_limits(const Limits& limits, std::uint32_t& walls);
  // Memory of the tenant before may be freed late, and over its limit a leaf kills who enters it.
  // False: there is no room yet for a sandbox with a limit of so many bytes.
  bool make_room(std::uint64_t bytes);
  UsageFigures usage() const;
  // Tells the processes of the user's leaf to stand still, or to go on. Each stops when it next
  // runs, which takes a while where they are throttled: is_frozen() says whether all have.
  Outcome<void> freeze(bool frozen) const;
  bool is_frozen() const;
  bool empty() const;  // both leaves
  // A list of the processes in the user's leaf, a line each, as its reader numbers them.
  UniqueFd open_processes() const;
  // The next tenant's figures count from here.
  void start_anew();
  const UsageFigures& start() const { return start_; }

  // `tasks` (v2: `cgroup.procs`) of the leaves, for writing "0". A child could be made in
  // its leaf (v2), but not outlive what the tenant before left there: over its limits it would be
  // refused or killed; and as pid 1 moves on to the guest's leaf, it saves nothing after idle.
  // Those of the user's leaf get into the sandbox. They are opened with the rights of `owner`, by
  // which the kernel judges every write to them: on v1 they move processes of that uid, on v2 what
  // is in a group of its already. With `entry` (v2) pid 1 enters from elsewhere.
  struct Doors {
    ControllerFds user, guest, entry;
  };
  Outcome<void> open_doors(uid_t owner);
  void close_doors() { doors_ = {}; }
  const Doors& doors() const { return doors_; }

 private:
  bool open_tasks(Leaf leaf, ControllerFds& tasks, uid_t owner = 0) const;
  bool write(Leaf leaf, Controller controller, const char* file, std::uint64_t value) const;
  std::string read(Leaf leaf, Controller controller, const char* file) const;
  std::uint64_t read_number(Leaf leaf, Controller controller, const char* file,
                            const char* key = "") const;
  Outcome<void> write_limits(const Limits& limits);
  UsageFigures counters() const;
  bool has_guest() const { return leaf_ == Leaf::kSlot; }

  const Cgroups* host_ = nullptr;  // none: no cgroup
  unsigned number_ = 0;
  Leaf leaf_ = Leaf::kSlot;
  Doors doors_;
  bool written_ = false;  // limits_ are in force, walls_ are those that hold
  Limits limits_;
  std::uint32_t walls_ = 0;
  UsageFigures start_;  // what its counters said when the tenant came: it is reused, they go on
};

}  // namespace atl::engine
