// Namespaces that are made without a process that stays in them: by helpers of the launcher.
#pragma once

#include "engine/mount_calls.hpp"

namespace atl::engine {

// New namespaces without a process in them; a descriptor of the one called `name`. With maps, the
// user namespace among them has these ids.
UniqueFd make_namespace(std::uint64_t flags, const char* name, std::string_view uids = {},
                        std::string_view gids = {});
// Keeps one by a bind mount on the file DIR/NAME, where open_kept() finds it.
bool keep_namespace(const UniqueFd& ns, const UniqueFd& dir, const char* name);

}  // namespace atl::engine
