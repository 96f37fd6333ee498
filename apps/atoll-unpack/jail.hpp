// The walls that atoll-unpack puts around itself before it reads the first byte of an archive: no
// network, no other process, no file but those below one folder, and as root a user of its own with
// no right but to give files away.
#pragma once

#include <cstdint>

#include "base/result.hpp"

namespace atl::unpacker {

// `staging` is the folder that may be written. Forks: the caller comes back as another process, the
// first of its namespace, and the one that was started waits for it. kHostUnsupported when this
// kernel has neither Landlock nor namespaces to offer; root needs the namespaces.
Result<void> enter_jail(int staging, std::uint64_t max_file_bytes);

}  // namespace atl::unpacker
