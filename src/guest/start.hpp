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
// Fixed size: the launcher copies it and parses nothing. Where that is a socket, the descriptors
// that follow come with it: the kernel gives them the lowest free numbers, in order.
struct GuestConfig {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  std::uint8_t task_fds = 0;   // from kFirstTaskFd on, files that take "0": the user's cgroup leaf
  std::uint8_t connected = 0;  // 1: kListenFd is the one connection there will ever be
  // who user code runs as, in the sandbox's own numbering
  std::uint32_t user_uid = 0, user_gid = 0;
  std::uint32_t open_files = 0;  // RLIMIT_NOFILE of user code
  std::uint8_t zygote = 0;       // 1: behind the task files, a socket to the sandbox's zygote
  std::uint8_t build = 0;        // 1: a BoxStart follows, and the descriptors that it needs
  std::uint16_t kept_caps = 0;   // capabilities of user code, bit by bit: none with native
  std::uint64_t data_bytes = 0;  // RLIMIT_DATA of user code where no memory cgroup exists; 0 = none
  Token token{};
};
static_assert(sizeof(GuestConfig) == 64);

inline constexpr std::size_t kMaxMounts = 16, kMaxRules = 64;
inline constexpr std::size_t kMaxBoxPath = 256;  // a path inside the sandbox, with its NUL
using BoxPath = std::array<char, kMaxBoxPath>;

enum class PathAction : std::uint32_t { kHide = 1, kReadOnly = 2, kWritable = 3 };
struct PathRule {
  PathAction action = PathAction::kHide;
  BoxPath path{};
};

// How pid 1 of a native sandbox builds its file system before it serves: in its own user namespace
// and with powers over nothing else. Its descriptors follow the zygote's link: a pipe for a
// StartFailure, the launcher's pipe, the mounts in order, the disk, the old root.
struct BoxStart {
  // The launcher's word:
  std::uint64_t disk_bytes = 0, inodes = 0;
  std::uint32_t guest_uid = 0;  // as the user's, in the sandbox's own numbering
  std::uint8_t dies_with_launcher = 0;
  std::uint8_t has_disk = 0;  // 0: everything writable is a tmpfs
  std::uint8_t image = 0;     // 1: the root is an image's, not the host's
  // Its client's, which the launcher has checked:
  std::uint8_t writable_root = 0;  // 1: the old root is there: the user may write in /
  std::uint32_t mount_count = 0, rule_count = 0;
  std::array<char, 64> hostname{};
  std::array<BoxPath, kMaxMounts> mounts{};  // their targets
  std::array<PathRule, kMaxRules> rules;

  // Only so many of them are passed on.
  std::size_t size() const { return offsetof(BoxStart, rules) + rule_count * sizeof(PathRule); }
};

// Where the making of a sandbox failed; the errno beside it says why.
enum class Step : std::uint16_t {
  kNone = 0,
  kBadRequest,
  kUserNamespace,
  kRunFolder,
  kSlot,
  kCgroup,
  kLimits,
  kSocket,
  kNetwork,
  kTemplate,
  kMount,
  kRule,
  kClone,
  kMaps,
  kTasks,
  kProc,
  kTmpfs,
  kHostname,
  kIdentity,
  kCapabilities,
  kExecGuest,
  kUnknownBox,
  kBusy,
  kZygote,
  kImage,
  kWritableRoot,
  kDisk,
  kEgress
};

struct StartFailure {
  Step step = Step::kNone;
  std::int32_t errno_value = 0;
};

inline constexpr int kConfigFd = 3, kListenFd = 4, kFirstTaskFd = 5;

}  // namespace atl::guest
