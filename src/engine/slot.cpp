#include "engine/slot.hpp"

#include <net/if.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>

#include "engine/sys.hpp"

namespace atl::engine {
namespace {

// Each one is a mount of the host, which everybody copies who makes a mount namespace there: enough
// for ordinary use, and not more.
constexpr unsigned kKeptNetworks = 8;
constexpr const char* kUnused = "net/unused";  // traces() of a namespace that is new

// A sum (FNV-1a) over what can be read in the present network namespace about what happened there.
std::string traces() {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char* file : {"dev", "snmp", "snmp6", "sockstat"}) {
    for (char byte : read_file(AT_FDCWD, Text("/proc/thread-self/net/%s", file).c_str())) {
      sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
  }
  return std::string(bytes_of(sum));
}

// Moves the calling process into a new network namespace with nothing but a loopback.
UniqueFd make_netns() {
  if (::unshare(CLONE_NEWNET) != 0 || !raise_loopback()) return {};
  return UniqueFd(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
}

// The one kept at SHARED/net/NUMBER; made when missing. It belongs to the host's user namespace, so
// no sandbox has a say over it and it can be lent again once everything in it is gone.
UniqueFd open_kept_netns(const UniqueFd& shared, unsigned number) {
  if (number >= kKeptNetworks) return make_netns();
  Text name("net/%u", number);
  UniqueFd netns = open_kept(shared, name.c_str());
  if (netns || !make_folder(shared.get(), "net", 0700)) return netns;
  netns = make_netns();
  if (netns && !keep_namespace(netns, shared, name.c_str())) return {};
  write_file(shared.get(), kUnused, traces(), O_WRONLY | O_CREAT | O_TRUNC);
  return netns;
}

}  // namespace

bool raise_loopback() {
  UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP;
  return socket && ::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) == 0;
}

Outcome<Slot> claim_slot(const UniqueFd& shared, const Cgroups& cgroups, bool rootless) {
  if (!make_folder(shared.get(), "slots", 0700)) return failed(Step::kSlot);
  for (unsigned number = 0; number < kMaxSlots; ++number) {
    Slot slot{.number = number};
    // Read-only: the descriptor ends up in pid 1, and a lock needs no more.
    slot.lock = open_at(shared.get(), Text("slots/%u", number).c_str(), O_RDONLY | O_CREAT);
    if (!slot.lock) return failed(Step::kSlot);
    if (::flock(slot.lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (!rootless && cgroups.available()) {
      ATOLL_TRY(slot.cgroup, cgroups.open_slot(number));
      // Pid 1 gives up its lock a moment before the last of its processes is gone.
      if (!slot.cgroup.empty()) continue;
    }
    slot.netns = rootless ? make_netns() : open_kept_netns(shared, number);
    if (!slot.netns) return failed(Step::kNetwork);
    return slot;
  }
  return failed(Step::kSlot, EAGAIN);  // all slots of this host are taken
}

void renew_netns(const UniqueFd& shared, const Slot& slot) {
  if (slot.number >= kKeptNetworks || ::setns(slot.netns.get(), CLONE_NEWNET) != 0) return;
  if (traces() == read_file(shared.get(), kUnused)) return;
  Text name("net/%u", slot.number);
  Text path("/proc/self/fd/%d/%s", shared.get(), name.c_str());
  UniqueFd fresh = make_netns();
  if (fresh && ::umount2(path.c_str(), MNT_DETACH) == 0)
    keep_namespace(fresh, shared, name.c_str());
}

}  // namespace atl::engine
