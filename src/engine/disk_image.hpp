// Disk space beyond what may sit in memory: an ext4 image in an unnamed file behind a loop device.
// The limit is hard (ENOSPC inside, nobody else notices), and nothing needs cleaning up: the file
// has no name and the device frees itself when the sandbox's last mount is gone.
#pragma once

#include <cstdint>

#include "base/unique_fd.hpp"
#include "engine/failure.hpp"

namespace atl::engine {

// A detached mount of a new one with room for `bytes`, or the step that failed; `owners` says how
// owners appear. A process of its own formats it, without privileges. Called while standing in the
// host's mount namespace.
Outcome<UniqueFd> make_disk(const UniqueFd& folder, std::uint64_t bytes, std::uint64_t inodes,
                            const UniqueFd& owners);

}  // namespace atl::engine
