// What the program atoll-mounts does: it makes what an order names (mounts_order.hpp), hands it to
// the launcher as descriptors and ends. Started by the launcher with powers over the host, it reads
// nothing that a sandbox has written.
#pragma once

#include <span>

#include "engine/failure.hpp"
#include "engine/mounts_order.hpp"
#include "engine/namespaces.hpp"

namespace atl::engine {

int make_mounts_process();

// A user namespace that only describes how a mount shows its owners: files of an inside id appear
// as files of the outside one, everybody else's as nobody's.
inline UniqueFd make_idmap(std::string_view uids, std::string_view gids) {
  return make_namespace(CLONE_NEWUSER, "user", uids, gids);
}
inline mount_attr show_owners(const UniqueFd& idmap) {
  return {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = static_cast<std::uint64_t>(idmap.get())};
}
// Where an open file lies; empty when unknown.
std::string path_of(const UniqueFd& file);

// A detached mount of what a client opened. `idmap`: none when rootless.
Outcome<UniqueFd> lend_mount(const UniqueFd& source, bool read_only, bool folder,
                             const UniqueFd& idmap);

}  // namespace atl::engine
