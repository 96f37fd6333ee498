// User namespaces that exist only to describe how a mount shows its owners.
#pragma once

#include <sys/types.h>

#include <span>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::engine {

// Writes /proc/PID/{uid_map,gid_map}: `inside` → `outside`, one id per pair.
struct IdPair {
  uid_t inside;
  uid_t outside;
};
Result<void> write_own_maps(IdPair uid, IdPair gid);  // of a process that just unshared
Result<void> write_id_maps(pid_t pid, std::span<const IdPair> pairs, bool deny_setgroups);
// Files of `inside` (uid and gid alike) appear as files of `outside`; everybody else's as nobody's.
Result<UniqueFd> make_idmap(std::span<const IdPair> pairs);

}  // namespace atl::engine
