#include "engine/slot.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cstdio>

#include "engine/netns.hpp"

namespace atl::engine {

Result<Slot> claim_slot(const UniqueFd& shared, const Cgroups& cgroups, bool rootless) {
  if (::mkdirat(shared.get(), "slots", 0700) != 0 && errno != EEXIST) return fail_errno("mkdir slots");
  for (unsigned number = 0; number < kMaxSlots; ++number) {
    char name[32];
    std::snprintf(name, sizeof name, "slots/%u", number);
    // Read-only: the descriptor ends up in pid 1, and a lock needs no more.
    UniqueFd lock(::openat(shared.get(), name, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock) return fail_errno("open slot");
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
    Slot slot{.number = number, .lock = std::move(lock)};
    if (!rootless && cgroups.available()) {
      ATOLL_TRY(slot.cgroup, cgroups.open_slot(number));
      // Pid 1 gives up its lock a moment before the last of its processes is gone.
      if (!slot.cgroup.empty()) continue;
    }
    ATOLL_TRY(slot.netns, rootless ? make_netns() : open_kept_netns(shared, number));
    return slot;
  }
  return fail(Code::kResourceExhausted, "all sandbox slots of this host are taken");
}

}  // namespace atl::engine
