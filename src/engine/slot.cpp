#include "engine/slot.hpp"

#include <net/if.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "confine/walls.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

// Network namespaces of these are pinned by mounts, for launchers that live for one sandbox. Each
// is a mount of the host, which everybody copies who makes a mount namespace there.
constexpr unsigned kPinned = 8;
constexpr std::size_t kOpenDoors = 64;            // so many kept slots have their cgroup files open
constexpr const char* kUntouched = "net/unused";  // traces() of a namespace that is new
// First byte of a slot's file: its pinned network namespace may have been used.
constexpr char kUsed = 'u', kClean = '-';

// A sum over what can be read in the present network namespace about what happened there.
// sockstat is left out: some of its figures are the host's.
std::string traces() {
  std::uint64_t sum = kNoSum;
  for (const char* file : {"dev", "snmp", "snmp6", "netstat", "ip6_flowlabel"}) {
    sum = sum_up(sum, read_file(AT_FDCWD, Text("/proc/thread-self/net/%s", file).c_str()));
  }
  return std::string(bytes_of(sum));
}

void mark(const Slot& slot, char state) {
  if (slot.pinned) (void)!::pwrite(slot.lock.get(), &state, 1, 0);
}

bool is_clean(const Slot& slot) {
  char state = 0;
  return ::pread(slot.lock.get(), &state, 1, 0) == 1 && state == kClean;
}

}  // namespace

bool raise_loopback() {
  UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP;
  return socket && ::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) == 0;
}

// On v1 that of pid 1. v2 asks where a process comes from: copies of a zygote come out of its
// group. Rootless there is one uid; where a test has taken uids away, root's files let everybody
// in.
uid_t Slot::door_owner(const Cgroups& cgroups) const {
  using confine::Wall;
  bool own = confine::wall_up(Wall::kUserNs) && confine::wall_up(Wall::kOwnUids);
  if (cgroups.owner != 0 || !own) return 0;
  return cgroups.unified && net_owner != 0 ? net_owner : ids().guest;
}

std::vector<bool>::reference Slots::ours(unsigned number) {
  if (ours_.size() <= number) ours_.resize(number + 1);
  return ours_[number];
}

std::size_t Slots::find_kept(const SlotRange& range) {
  auto fits = [&](Slot& slot) {  // not of a zygote that is no more
    return slot.number - range.first < range.count && slot.net_owner == range.net_owner &&
           slot.cgroup.make_room(range.memory_bytes);
  };
  return static_cast<std::size_t>(std::ranges::find_if(kept_, fits) - kept_.begin());
}

// Moves the calling process into a new network namespace with nothing but a loopback. Owned by the
// host, no sandbox has a say over it; owned by a zygote's uid, that zygote may enter it too.
UniqueFd Slots::make_netns(uid_t owner) {
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
  if (untouched_.empty() && !rootless_) {
    untouched_ = traces();
    write_file(shared_.get(), kUntouched, untouched_, O_WRONLY | O_CREAT | O_TRUNC);
  }
  return netns;
}

// The one pinned at SHARED/net/NUMBER if nobody has used it; a new one otherwise.
Outcome<void> Slots::find_netns(Slot& slot) {
  slot.pinned = !rootless_ && slot.number < kPinned;
  Text name("net/%u", slot.number);
  if (slot.pinned && is_clean(slot)) slot.netns = open_kept(shared_, name.c_str());
  if (slot.netns) return {};
  if (slot.pinned && !make_folder(shared_.get(), "net", 0700)) return failed(Step::kNetwork);
  slot.netns = make_netns(slot.net_owner);
  if (!slot.netns) return failed(Step::kNetwork);
  if (!slot.pinned) return {};
  ::umount2(Text("/proc/self/fd/%d/%s", shared_.get(), name.c_str()).c_str(), MNT_DETACH);
  if (!keep_namespace(slot.netns, shared_, name.c_str())) return failed(Step::kNetwork);
  return {};
}

// Empty when somebody has it. A file that was removed meanwhile is nobody's: the name may stand
// for another one already.
UniqueFd Slots::lock(unsigned number) const {
  for (struct stat info{};;) {
    UniqueFd file = open_at(shared_.get(), Text("slots/%u", number).c_str(), O_RDWR | O_CREAT);
    if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return {};
    if (::fstat(file.get(), &info) == 0 && info.st_nlink != 0) return file;
  }
}

Outcome<Slot> Slots::open(unsigned number, const SlotRange& range) {
  Slot slot{.number = number, .lock = lock(number), .net_owner = range.net_owner};
  if (!slot.lock) return failed(Step::kSlot, EWOULDBLOCK);
  if (cgroups_.available()) {
    ATOLL_TRY(slot.cgroup, SlotCgroup::open(cgroups_, Leaf::kSlot, number));
    // Its sandbox may live although the launcher that held the lock does not.
    bool usable = slot.cgroup.empty() && slot.cgroup.make_room(range.memory_bytes);
    if (!usable) return failed(Step::kSlot, EWOULDBLOCK);
  }
  ATOLL_CHECK(find_netns(slot));
  return slot;
}

Outcome<Slot> Slots::claim(const SlotRange& range) {
  ours(range.first + range.count - 1);
  Outcome<Slot> found = failed(Step::kSlot, EWOULDBLOCK);
  if (std::size_t at = find_kept(range); at != kept_.size()) {
    found = std::move(kept_[at]);
    ours_[found->number] = false;  // until its doors are open
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(at));
  } else {
    if (!make_folder(shared_.get(), "slots", 0700)) return failed(Step::kSlot);
    for (unsigned i = 0; i < range.count && !found; ++i) {
      if (ours_[range.first + i]) continue;
      found = open(range.first + i, range);
      if (!found && found.error().errno_value != EWOULDBLOCK) return found;
    }
    if (!found) return failed(Step::kSlot, EAGAIN);  // all slots of this host are taken
  }
  ATOLL_CHECK(found->cgroup.open_doors(found->door_owner(cgroups_)));
  ours_[found->number] = true;
  mark(*found, kUsed);
  needed_ = std::max(needed_, ++lent_);
  return found;
}

Outcome<void> Slots::prepare(const SlotRange& range) {
  ATOLL_TRY(Slot slot, claim(range));
  --lent_;
  mark(slot, kClean);
  kept_.push_back(std::move(slot));
  return {};
}

// Counters tell a tenant about the one before: a network namespace in which anything was sent,
// received or tried is replaced.
void Slots::give_back(Slot slot) {
  if (lent_ > 0) --lent_;
  bool usable = slot.lock && !rootless_ && slot.cgroup.empty();
  if (!usable) slot.cgroup.end_all();
  ours(slot.number) = usable;
  if (rootless_ && slot.lock) cgroups_.remove_slot(slot.number);
  if (!usable) return;
  if (untouched_.empty()) untouched_ = read_file(shared_.get(), kUntouched);
  bool untouched =
      slot.netns && ::setns(slot.netns.get(), CLONE_NEWNET) == 0 && traces() == untouched_;
  if (untouched) {
    mark(slot, kClean);
  } else {
    slot.pinned = false;  // the pinned one stays marked as used
    slot.netns = make_netns(slot.net_owner);
  }
  slot.cgroup.start_anew();
  if (kept_.size() >= kOpenDoors) slot.cgroup.close_doors();
  if (slot.netns) kept_.push_back(std::move(slot));
}

void Slots::adopt(Slot& slot) {
  slot.lock = lock(slot.number);
  ours(slot.number) = true;
  needed_ = std::max(needed_, ++lent_);
}

bool Slots::trim() {
  constexpr std::size_t kAlways = kPinned, kAtOnce = 4, kDecay = 256;
  if (needed_ > lent_) needed_ -= 1 + (needed_ - lent_) / kDecay;
  std::size_t wanted = std::max(needed_ - std::min(needed_, lent_), kAlways);
  for (std::size_t i = 0; i < kAtOnce && kept_.size() > wanted; ++i) {
    // The highest numbers go: those that stay are found quickly by others.
    auto last = std::ranges::max_element(kept_, {}, &Slot::number);
    cgroups_.remove_slot(last->number);
    ::unlinkat(shared_.get(), Text("slots/%u", last->number).c_str(), 0);
    ours_[last->number] = false;
    kept_.erase(last);
  }
  return kept_.size() > kAlways;
}

void Slots::let_go() {
  needed_ = lent_;
  for (const Slot& slot : kept_) {
    if (rootless_) cgroups_.remove_slot(slot.number);
  }
  while (!rootless_ && trim()) {
  }
}

}  // namespace atl::engine
