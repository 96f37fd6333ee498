#include "engine/slots_make.hpp"

#include <dirent.h>
#include <net/if.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "engine/cgroup_make.hpp"

namespace atl::engine {
namespace {

struct Ground {
  const UniqueFd& shared;
  const Cgroups& cgroups;
  bool rootless;
};

bool raise_loopback() {
  UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP;
  return socket && ::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) == 0;
}

// Moves the calling process into a new network namespace with nothing but a loopback. Owned by the
// host, no sandbox has a say over it; owned by a zygote's uid, that zygote may enter it too.
UniqueFd make_netns(const Ground& ground, uid_t owner) {
  UniqueFd netns;
  if (owner == 0) {
    if (::unshare(CLONE_NEWNET) != 0) return {};
    netns.reset(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
  } else {
    ActingAs acting(owner);
    netns = make_namespace(CLONE_NEWUSER | CLONE_NEWNET, "net");
    acting.end();
    if (!netns || ::setns(netns.get(), CLONE_NEWNET) != 0) return {};
  }
  if (!raise_loopback()) return {};
  if (!ground.rootless) {
    write_file(ground.shared.get(), kUntouched, traces(), O_WRONLY | O_CREAT | O_TRUNC);
  }
  return netns;
}

// The one pinned at SHARED/net/NUMBER if nobody has used it; a new one otherwise.
bool find_netns(const Ground& ground, Slot& slot) {
  bool pinned = !ground.rootless && slot.number < kPinned;
  Text name = pinned_name(slot.number);
  if (pinned && is_clean(slot)) slot.netns = open_kept(ground.shared, name.c_str());
  if (slot.netns) return true;
  slot.netns = make_netns(ground, slot.net_owner);
  if (!slot.netns || !pinned) return static_cast<bool>(slot.netns);
  ::umount2(Text("/proc/self/fd/%d/%s", ground.shared.get(), name.c_str()).c_str(), MNT_DETACH);
  if (!keep_namespace(slot.netns, ground.shared, name.c_str())) return false;
  mark_clean(slot, true);
  return true;
}

// EWOULDBLOCK: somebody has it. Its sandbox may live although the launcher that held the lock does
// not.
Outcome<Slot> make_slot(const Ground& ground, const SlotRange& range, unsigned number) {
  Slot slot{
      .number = number, .lock = lock_slot(ground.shared, number), .net_owner = range.net_owner};
  if (!slot.lock) return failed(Step::kSlot, EWOULDBLOCK);
  if (ground.cgroups.available()) {
    slot.cgroup = SlotCgroup(ground.cgroups, Leaf::kSlot, number);
    if (!slot.cgroup.empty()) return failed(Step::kSlot, EWOULDBLOCK);
    if (!make_leaves(ground.cgroups, Leaf::kSlot, number)) return failed(Step::kCgroup);
    slot.cgroup.start_anew();
    if (!slot.cgroup.make_room(range.memory_bytes)) return failed(Step::kSlot, EWOULDBLOCK);
  }
  if (!find_netns(ground, slot)) return failed(Step::kNetwork);
  return slot;
}

Outcome<void> make_slots(const Ground& ground, const SlotsOrder& order, MountsMade& made,
                         std::vector<UniqueFd>& parts) {
  const SlotRange& range = order.range;
  unsigned begin = order.from - range.first < range.count ? order.from - range.first : 0;
  if (!make_folder(ground.shared.get(), "slots", 0700) ||
      !make_folder(ground.shared.get(), "net", 0700)) {
    return failed(Step::kSlot);
  }
  std::size_t count = 0;
  for (unsigned i = 0; i < range.count && count < order.wanted; ++i) {
    Outcome<Slot> slot = make_slot(ground, range, range.first + (begin + i) % range.count);
    if (!slot && slot.error().errno_value == EWOULDBLOCK) continue;
    if (!slot && count == 0) return std::unexpected(slot.error());
    if (!slot) break;
    made.slots[count++] = slot->number;
    parts.push_back(std::move(slot->lock));
    parts.push_back(std::move(slot->netns));
  }
  // All slots of this host are taken.
  return count == 0 && order.wanted != 0 ? failed(Step::kSlot, EAGAIN) : Outcome<void>();
}

std::vector<unsigned> numbers_in(const UniqueFd& shared, const char* name) {
  std::vector<unsigned> found;
  UniqueFd fd = open_at(shared.get(), name, O_RDONLY | O_DIRECTORY);
  DIR* folder = fd ? ::fdopendir(fd.release()) : nullptr;
  while (const dirent* entry = folder != nullptr ? ::readdir(folder) : nullptr) {
    char* end = nullptr;
    unsigned long number = std::strtoul(entry->d_name, &end, 10);
    if (*end == '\0') found.push_back(static_cast<unsigned>(number));
  }
  if (folder != nullptr) ::closedir(folder);
  return found;
}

// Whatever is in use is locked, or has processes in it. Pinned ones stay.
void remove_idle(const Ground& ground) {
  for (unsigned number : numbers_in(ground.shared, "slots")) {
    if (!ground.rootless && number < kPinned) continue;
    UniqueFd lock = lock_slot(ground.shared, number);
    bool empty =
        !ground.cgroups.available() || SlotCgroup(ground.cgroups, Leaf::kSlot, number).empty();
    if (!lock || !empty) continue;
    if (ground.cgroups.available()) remove_leaves(ground.cgroups, Leaf::kSlot, number);
    ::unlinkat(ground.shared.get(), Text("slots/%u", number).c_str(), 0);
  }
  // Leaves of zygotes that are gone, while nobody starts one: the kernel refuses all others.
  UniqueFd turn = open_at(ground.shared.get(), "zygotes/lock");
  if (!turn || ::flock(turn.get(), LOCK_EX | LOCK_NB) != 0) return;
  for (unsigned place = 0; place < kMaxZygotes; ++place) {
    remove_leaves(ground.cgroups, Leaf::kZygote, place);
  }
}

}  // namespace

Outcome<void> work_on_slots(const MountsOrder& order, std::span<UniqueFd> given, MountsMade& made,
                            std::vector<UniqueFd>& parts) {
  const SlotsOrder& slots = order.slots;
  if (given.size() != kSlotsFds + slots.unclean_count || slots.unclean_count > kMaxSlots ||
      slots.wanted > kMaxSlots) {
    return failed(Step::kSlot, EINVAL);
  }
  const UniqueFd& shared = given[kSlotsShared];
  UniqueFd group = slots.delegated != 0 ? std::move(given[kSlotsCgroup]) : UniqueFd();
  Cgroups cgroups =
      order.rootless != 0 ? Cgroups::delegated(std::move(group), shared) : Cgroups::detect();
  Ground ground{shared, cgroups, order.rootless != 0};
  for (std::size_t i = 0; i < slots.unclean_count; ++i)
    end_processes(cgroups, Leaf::kSlot, slots.unclean[i]);
  Outcome<void> done = make_slots(ground, slots, made, parts);
  if (slots.remove_idle != 0) remove_idle(ground);
  return done;
}

}  // namespace atl::engine
