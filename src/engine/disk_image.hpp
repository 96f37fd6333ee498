// Disk space beyond what may sit in memory: an ext4 image in an unnamed file behind a loop device.
// The limit is hard (ENOSPC inside, nobody else notices), and nothing needs cleaning up: the file
// has no name and the device frees itself when the sandbox's last mount is gone.
#pragma once

#include <cstdint>

#include "base/unique_fd.hpp"
#include "engine/failure.hpp"

namespace atl::engine {

// A file that a process of its own formats: without privileges, and nobody waits for it.
struct Disk {
  UniqueFd file;
  UniqueFd formatter;  // a pidfd; exit status 0 when the file is ready to be mounted
};

Outcome<Disk> start_disk(const UniqueFd& folder, std::uint64_t bytes, std::uint64_t inodes);
// A detached mount of it, or errno; `idmap` says how owners appear. Called while standing in the
// host's mount namespace.
UniqueFd mount_disk(const UniqueFd& file, const UniqueFd& idmap);

}  // namespace atl::engine
