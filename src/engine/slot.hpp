// A slot is what a sandbox borrows from the host: a pair of uids nobody else has, a cgroup leaf and
// a network namespace. Slots are numbered and reused: a removed memory cgroup lingers as a dying
// one, and a network namespace costs half a millisecond to make. A slot is taken by locking
// SHARED/slots/N; the lock is shared with pid 1 of the sandbox, so a slot stays taken when the
// launcher dies.
#pragma once

#include <sys/types.h>

#include "base/unique_fd.hpp"
#include "engine/cgroup.hpp"

namespace atl::engine {

struct Ids {
  uid_t guest = 0;  // as the host sees them
  uid_t user = 0;
};

struct Slot {
  unsigned number = 0;
  UniqueFd lock;
  UniqueFd netns;
  SlotCgroup cgroup;

  // A range that nothing else on a Debian host uses; the launcher alone hands these out.
  static constexpr uid_t kFirstUid = 0x60000000;
  Ids ids() const { return {kFirstUid + 2 * number, kFirstUid + 2 * number + 1}; }
};

inline constexpr unsigned kMaxSlots = 8192;

// Takes the first free slot. `shared` is the folder that all launchers of the host share; rootless
// slots have neither cgroup nor a kept network namespace.
Outcome<Slot> claim_slot(const UniqueFd& shared, const Cgroups& cgroups, bool rootless);

// Brings the loopback of the present network namespace up.
bool raise_loopback();

// Counters tell a tenant about the one before: a kept network namespace in which anything was sent,
// received or tried is made anew. Called when the sandbox is gone, with its slot still taken.
void renew_netns(const UniqueFd& shared, const Slot& slot);

}  // namespace atl::engine
