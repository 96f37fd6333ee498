// User namespaces that exist only to describe how a mount shows its owners.
#pragma once

#include <sys/types.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::engine {

// Files of `owner` (uid and gid) appear as files of `shown`; everybody else's as nobody's.
Result<UniqueFd> make_idmap(uid_t owner, uid_t shown);
// Writes /proc/PID/{uid_map,gid_map}: `inside` → `outside`, one id per pair.
struct IdPair {
  uid_t inside;
  uid_t outside;
};
Result<void> write_own_maps(IdPair uid, IdPair gid);  // of a process that just unshared
Result<void> write_id_maps(pid_t pid, const IdPair* pairs, int count, bool deny_setgroups);

}  // namespace atl::engine
