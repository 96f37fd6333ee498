// A slot is what a sandbox borrows from the host: a pair of uids nobody else has, two cgroup leaves
// and a network namespace. Slots are numbered and reused: a removed memory cgroup lingers as a
// dying one, and a network namespace costs half a millisecond to make. A slot is taken by locking
// SHARED/slots/N, and only while both of its leaves are empty: so it stays taken when the launcher
// dies and its sandbox does not.
#pragma once

#include <sys/types.h>

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
  bool pinned = false;  // it is kept by a mount, for other launchers
  SlotCgroup cgroup;

  // A range that nothing else on a Debian host uses; the launcher alone hands these out.
  static constexpr uid_t kFirstUid = 0x60000000;
  Ids ids() const { return {kFirstUid + 2 * number, kFirstUid + 2 * number + 1}; }
  // Whose rights the files have with which processes of the sandbox enter its cgroup.
  uid_t door_owner(const Cgroups& cgroups) const;
};

// Numbers of slots. Sandboxes of a zygote have their own range: a zygote may have kept descriptors
// of the cgroup leaves that its sandboxes had, and those leaves never serve anybody else.
struct SlotRange {
  unsigned first = 0;
  unsigned count = kFirstZygoteSlot;
  uid_t net_owner = 0;                 // 0: the host's own user namespace
  std::uint64_t memory_bytes = ~0ull;  // the limit that there must be room for
};
inline constexpr SlotRange kPlainSlots{};
inline constexpr SlotRange zygote_slots(unsigned place, uid_t owner) {
  return {kPlainSlots.count + place * kSlotsPerZygote, kSlotsPerZygote, owner};
}

// The slots of one launcher. Those that sandboxes give back are kept, open and locked, for the next
// ones; those that were not needed for a while are removed.
class Slots {
 public:
  // `shared` is the folder that all launchers of the host share; rootless ones are not kept, but
  // for one that is prepared. All three outlive this.
  Slots(const UniqueFd& shared, const Cgroups& cgroups, const bool& rootless)
      : shared_(shared), cgroups_(cgroups), rootless_(rootless) {}

  bool has_kept(const SlotRange& range) { return find_kept(range) != kept_.size(); }
  // A kept slot with room, or the first free one of the range. For the second, the caller must
  // stand in the host's mount namespace; he may find himself in the slot's network namespace.
  Outcome<Slot> claim(const SlotRange& range);
  // Claims one for later.
  Outcome<void> prepare(const SlotRange& range);
  // So many are lent that each should hold few descriptors.
  bool crowded() const { return lent_ > 256; }
  // Its sandbox is gone; one whose processes are not is let go. Leaves the caller in some network
  // namespace.
  void give_back(Slot slot);
  // The slot of a sandbox that an earlier launcher made; without a lock if somebody else has it.
  void adopt(Slot& slot);
  // Removes some slots that nobody needed lately; called while the launcher is idle. False: there
  // is no more to do.
  bool trim();
  // Removes all but a few, rootless all; this launcher lends no more.
  void let_go();

 private:
  std::size_t find_kept(const SlotRange& range);
  UniqueFd lock(unsigned number) const;
  Outcome<Slot> open(unsigned number, const SlotRange& range);
  Outcome<void> find_netns(Slot& slot);
  UniqueFd make_netns(uid_t owner);
  std::vector<bool>::reference ours(unsigned number);

  const UniqueFd& shared_;
  const Cgroups& cgroups_;
  const bool& rootless_;
  std::vector<Slot> kept_;
  std::vector<bool> ours_;  // by number: lent or kept by this launcher
  std::string untouched_;   // traces() of a new network namespace
  std::size_t lent_ = 0;
  std::size_t needed_ = 0;  // the most that were lent of late
};

// Brings the loopback of the present network namespace up.
bool raise_loopback();

}  // namespace atl::engine
