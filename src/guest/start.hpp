// How a guest is started: its configuration and the numbers of its descriptors. All of the guest
// protocol that the launcher knows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace atl::guest {

inline constexpr std::uint32_t kMagic = 0x4c4f5441;  // "ATOL"
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kTokenSize = 32;
using Token = std::array<std::uint8_t, kTokenSize>;

// What the launcher (or another backend) tells the guest at its start, on descriptor kConfigFd.
// Fixed size: the launcher copies it and parses nothing.
struct GuestConfig {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  std::uint8_t task_fds = 0;   // from kFirstTaskFd on, files that take "0": the user's cgroup leaf
  std::uint8_t connected = 0;  // 1: kListenFd is the one connection there will ever be
  std::uint32_t user_uid = 0;  // who user code runs as, in the sandbox's own numbering
  std::uint32_t user_gid = 0;
  std::uint32_t open_files = 0;  // RLIMIT_NOFILE of user code
  std::uint32_t zygote = 0;      // 1: behind the task files, a socket to the sandbox's zygote
  std::uint64_t data_bytes = 0;  // RLIMIT_DATA of user code where no memory cgroup exists; 0 = none
  Token token{};
};
static_assert(sizeof(GuestConfig) == 64);
inline constexpr int kConfigFd = 3;
inline constexpr int kListenFd = 4;
inline constexpr int kFirstTaskFd = 5;

}  // namespace atl::guest
