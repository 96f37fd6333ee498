// The walls around a sandbox, one bit each, and the two questions that the security tests answer
// differently from the product: is this wall up, and what environment does the guest start with.
// The product links walls.cpp, where every wall is up and the environment is empty; the test-only
// programs of tests/security link walls_off.cpp instead. So no shipped program contains a way to
// drop a wall.
#pragma once

#include <cstdint>
#include <string_view>

namespace atl::confine {

enum class Wall : std::uint32_t {
  kUserNs = 1u << 0,
  kPidNs = 1u << 1,
  kMountNs = 1u << 2,
  kNetNs = 1u << 3,
  kIpcNs = 1u << 4,
  kUtsNs = 1u << 5,
  kCgroupNs = 1u << 6,
  kMemoryLimit = 1u << 7,
  kCpuLimit = 1u << 8,
  kPidsLimit = 1u << 9,
  kNoCapabilities = 1u << 10,
  kNoNewPrivs = 1u << 11,
  kSeccomp = 1u << 12,
  kLandlock = 1u << 13,
  kReadOnlyRoot = 1u << 14,
  kMaskedProc = 1u << 15,
  kOwnUids = 1u << 16,
  kDiskLimit = 1u << 17,
  kFileLimits = 1u << 18,  // rlimits: open files, core
  kCleanStart = 1u << 19,  // no inherited descriptors, own session, empty environment
};
inline constexpr std::uint32_t kAllWalls = (1u << 20) - 1;

// "user_namespace", "seccomp", …: the names in `isolation.layers`; empty for an unknown bit.
std::string_view wall_name(Wall wall);

bool wall_up(Wall wall);
// Null-terminated, for execve of the guest.
const char* const* guest_environment();

}  // namespace atl::confine
