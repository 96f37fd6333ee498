#include "engine/slot.hpp"

#include <sched.h>

#include <algorithm>

#include "confine/walls.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

constexpr std::size_t kOpenDoors = 64;  // so many kept slots have their cgroup files open

}  // namespace

// On v1 that of pid 1. v2 asks where a process comes from: copies of a zygote come out of its
// group. Rootless there is one uid; where a test has taken uids away, root's files let everybody
// in.
uid_t Slot::door_owner(const Cgroups& cgroups) const {
  using confine::Wall;
  bool own = confine::wall_up(Wall::kUserNs) && confine::wall_up(Wall::kOwnUids);
  if (cgroups.owner != 0 || !own) return 0;
  return cgroups.unified && net_owner != 0 ? net_owner : ids().guest;
}

std::size_t Slots::find_kept(const SlotRange& range) {
  auto fits = [&](Slot& slot) {  // not of a zygote that is no more
    return slot.number - range.first < range.count && slot.net_owner == range.net_owner &&
           slot.cgroup.make_room(range.memory_bytes);
  };
  return static_cast<std::size_t>(std::ranges::find_if(kept_, fits) - kept_.begin());
}

Outcome<void> Slots::keep(Slot slot) {
  if (cgroups_.available()) {
    slot.cgroup = SlotCgroup(cgroups_, Leaf::kSlot, slot.number);
    slot.cgroup.start_anew();
  }
  // Its sandbox may live although the launcher that held the lock does not.
  if (!slot.cgroup.empty()) return failed(Step::kSlot, EWOULDBLOCK);
  ATOLL_CHECK(slot.cgroup.open_doors(slot.door_owner(cgroups_)));
  next = slot.number + 1;
  kept_.push_back(std::move(slot));
  return {};
}

bool Slots::keep_pinned() {
  for (unsigned number = 0; number < kPinned; ++number) {
    Slot slot{.number = number, .lock = lock_slot(shared_, number)};
    if (slot.lock && is_clean(slot)) slot.netns = open_kept(shared_, pinned_name(number).c_str());
    if (slot.netns && keep(std::move(slot))) return true;
  }
  return false;
}

Outcome<bool> Slots::claim(const SlotRange& range, Slot& slot) {
  std::size_t at = find_kept(range);
  if (at == kept_.size()) return false;
  slot = std::move(kept_[at]);
  kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(at));
  ATOLL_CHECK(slot.cgroup.open_doors(slot.door_owner(cgroups_)));
  mark_clean(slot, false);
  needed_ = std::max(needed_, ++lent_);
  return true;
}

// Counters tell a tenant about the one before: a network namespace in which anything was sent,
// received or tried serves nobody else.
void Slots::give_back(Slot slot) {
  if (lent_ > 0) --lent_;
  if (!slot.lock) slot.lock = lock_slot(shared_, slot.number);
  if (!slot.lock) return;
  if (!slot.cgroup.empty()) return unclean.push_back(std::move(slot));
  if (untouched_.empty()) untouched_ = read_file(shared_.get(), kUntouched);
  bool usable = !rootless_ && slot.netns && ::setns(slot.netns.get(), CLONE_NEWNET) == 0 &&
                traces() == untouched_;
  idle |= !usable;
  if (!usable) return;
  mark_clean(slot, true);
  slot.cgroup.start_anew();
  if (kept_.size() >= kOpenDoors) slot.cgroup.close_doors();
  kept_.insert(kept_.begin(), std::move(slot));  // before new ones
}

void Slots::adopt(Slot& slot) {
  slot.lock = lock_slot(shared_, slot.number);
  needed_ = std::max(needed_, ++lent_);
}

bool Slots::trim() {
  constexpr std::size_t kAlways = 8, kAtOnce = 4, kDecay = 256;
  if (needed_ > lent_) needed_ -= 1 + (needed_ - lent_) / kDecay;
  std::size_t wanted = std::max(needed_ - std::min(needed_, lent_), kAlways);
  for (std::size_t i = 0; i < kAtOnce && kept_.size() > wanted; ++i) {
    kept_.erase(std::ranges::max_element(kept_, {}, &Slot::number));
    idle = true;
  }
  return kept_.size() > kAlways;
}

void Slots::let_go() {
  kept_.clear();
  idle = cgroups_.available();
}

}  // namespace atl::engine
