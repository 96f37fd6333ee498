// A slot is what a sandbox borrows from the host: a pair of uids nobody else has, two cgroup leaves
// and a network namespace. Slots are numbered and reused: a removed memory cgroup lingers as a
// dying one, and a network namespace costs half a millisecond to make. A slot is taken by locking
// SHARED/slots/N, and only while both of its leaves are empty: so it stays taken when the launcher
// dies and its sandbox does not. They are made and removed by atoll-mounts (slots_make.cpp).
#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

#include "base/unique_fd.hpp"
#include "engine/cgroup.hpp"

namespace atl::engine {

struct Ids {
  uid_t guest = 0;  // as the host sees them
  uid_t user = 0;
};

struct Slot {
  unsigned number = 0;
  UniqueFd lock, netns;
  uid_t net_owner = 0;  // of the user namespace that the network namespace belongs to
  SlotCgroup cgroup;

  // A range that nothing else on a Debian host uses; the launcher alone hands these out.
  static constexpr uid_t kFirstUid = 0x60000000;
  Ids ids() const { return {kFirstUid + 2 * number, kFirstUid + 2 * number + 1}; }
  // Whose rights the files have with which processes of the sandbox enter its cgroup.
  uid_t door_owner(const Cgroups& cgroups) const;
};

// Network namespaces of these are pinned by mounts, for launchers that live for one sandbox; others
// leave them alone. Each is a mount of the host, which everybody copies who makes a mount namespace
// there. None when rootless.
inline constexpr unsigned kPinned = 8;
// Numbers of slots. Sandboxes of a zygote have their own range: a zygote may have kept descriptors
// of the cgroup leaves that its sandboxes had, and those leaves never serve anybody else.
struct SlotRange {
  unsigned first = kPinned;
  unsigned count = kFirstZygoteSlot - kPinned;
  uid_t net_owner = 0;                 // 0: the host's own user namespace
  std::uint64_t memory_bytes = ~0ull;  // the limit that there must be room for
};
inline constexpr SlotRange kAllPlainSlots{.first = 0, .count = kFirstZygoteSlot};
inline constexpr SlotRange zygote_slots(unsigned place, uid_t owner) {
  return {kFirstZygoteSlot + place * kSlotsPerZygote, kSlotsPerZygote, owner};
}

// The slot's lock; empty when somebody has it.
UniqueFd lock_slot(const UniqueFd& shared, unsigned number);
// First byte of a slot's file: whether its pinned network namespace may have been used.
void mark_clean(const Slot& slot, bool clean);
bool is_clean(const Slot& slot);
inline Text pinned_name(unsigned number) { return Text("net/%u", number); }
// A sum over what can be read in the present network namespace about what happened there, and
// where that of a new one is written.
std::string traces();
inline constexpr const char* kUntouched = "net/unused";

// The slots of one launcher. Those that sandboxes give back are kept, open and locked, for the next
// ones; those that were not needed for a while are let go.
class Slots {
 public:
  // `shared` is the folder that all launchers of the host share; rootless ones are not kept, but
  // for new ones. All three outlive this.
  Slots(const UniqueFd& shared, const Cgroups& cgroups, const bool& rootless)
      : shared_(shared), cgroups_(cgroups), rootless_(rootless) {}

  bool has_kept(const SlotRange& range) { return find_kept(range) != kept_.size(); }
  // A kept slot with room. False: there is none.
  Outcome<bool> claim(const SlotRange& range, Slot& slot);
  // Keeps one that was made.
  Outcome<void> keep(Slot slot);
  // Keeps the first free one that is pinned and unused.
  bool keep_pinned();
  std::size_t lent() const { return lent_; }
  // Its sandbox is gone. Leaves the caller in some network namespace.
  void give_back(Slot slot);
  // The slot of a sandbox that an earlier launcher made; without a lock if somebody else has it.
  void adopt(Slot& slot);
  // Lets some go that nobody needed lately; called while the launcher is idle. False: there is no
  // more to do.
  bool trim();
  void let_go();
  // What is left for atoll-mounts: slots in which processes are, and whether others lie idle.
  std::vector<Slot> unclean;
  bool idle = false;
  unsigned next = 0;  // where free ones are likely

 private:
  std::size_t find_kept(const SlotRange& range);

  const UniqueFd& shared_;
  const Cgroups& cgroups_;
  const bool& rootless_;
  std::vector<Slot> kept_;
  std::string untouched_;  // traces() of a new network namespace
  std::size_t lent_ = 0;
  std::size_t needed_ = 0;  // the most that were lent of late
};

}  // namespace atl::engine
