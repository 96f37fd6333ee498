// Started as root, atoll keeps root only as long as it starts the launcher and opens the caller's
// files. Afterwards it is an ordinary user without any way back.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

#include "base/result.hpp"

namespace atl::cli {

struct Identity {
  uid_t uid;
  gid_t gid;
  std::optional<gid_t> group = {};  // kept beside gid, for a backend that needs it
};

// Used where no user `atoll` exists: high, and outside of every range that distributions give away.
inline constexpr uid_t kFallbackUid = 1879048191;

// The entry of `name` in the text of /etc/passwd; the fallback when there is none. No NSS: it would
// load libraries and may ask the network.
Identity find_identity(std::string_view passwd, std::string_view name);

// Whom atoll runs as after drop_privileges(): user `atoll` when started as root, else the caller.
Identity service_identity();

// No capabilities in any set, no supplementary groups but the one named, no_new_privs; as root also
// another user.
// Everything is read back: when this returns success it is so. Before the first thread.
Result<void> drop_privileges(const Identity& identity);

}  // namespace atl::cli
