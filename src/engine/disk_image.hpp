// Disk space beyond what may sit in memory: an ext4 image in an unnamed file behind a loop device.
// The limit is hard (ENOSPC inside, nobody else notices), and nothing needs cleaning up: the file
// has no name and the device frees itself when the sandbox's last mount is gone.
#pragma once

#include <cstdint>

#include "base/unique_fd.hpp"

namespace atl::engine {

// A detached mount of a fresh file system of that size, or errno; `idmap` says how owners appear.
// Called while standing in the host's mount namespace. Takes about 20 ms, most of it mkfs.
UniqueFd make_disk(const UniqueFd& folder, std::uint64_t bytes, std::uint64_t inodes,
                   const UniqueFd& idmap);

}  // namespace atl::engine
