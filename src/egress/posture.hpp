// What atoll-egress gives up before it reads its first hostile byte.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "base/result.hpp"

namespace atl::egress {

// The host's only user of this number: below that of the formatter (src/engine/disk_image.cpp),
// the unpacker, zygotes and slots. An unprivileged starter's egress stays who it is.
inline constexpr uid_t kEgressUid = 0x5ffc0000;

// Closes all descriptors but 0 to 2 and `keep`.
void close_others(int keep);
// Of a process that does nothing but start others: as root it may still become another user, and
// the filter lets nothing be executed.
Result<void> confine_starter();
struct Bounds {
  std::size_t descriptors = 1024;
  std::size_t memory = 1ull << 30;  // bytes
};
// Uid, capabilities, limits, no core dumps, and a filter that still lets it start workers. Tells
// what a worker may have.
Result<Bounds> confine_parent();
// Of a worker, when it has opened what it needs: only sockets and memory are left.
Result<void> confine_worker();

}  // namespace atl::egress
