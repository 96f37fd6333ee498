// What `atoll` may ask of the launcher, on a SOCK_SEQPACKET socket: fixed-size structs, one message
// a request, one a reply. The protocol cannot express anything harmful, so a hijacked `atoll` gains
// nothing: no host path (mount sources are descriptors the caller opened), no uid (the launcher has
// its own range), no program or script, no namespace to share and no wall to leave out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "guest/start.hpp"

namespace atl::engine {

inline constexpr std::uint32_t kLauncherMagic = 0x48434e4c;  // "LNCH"
inline constexpr std::uint16_t kLauncherVersion = 2;
using guest::kMaxBoxPath, guest::kMaxMounts, guest::kMaxRules;
using guest::PathAction, guest::PathRule, guest::Step;  // names of steps in step_name()
inline constexpr std::size_t kMaxLayers = 128;
inline constexpr std::size_t kMaxDescriptors = kMaxMounts + kMaxLayers + 1;
inline constexpr std::size_t kBoxIdSize = 40;  // [a-z0-9-], with its NUL
inline constexpr std::size_t kListed = 128;    // sandboxes in one message of a list

// A larger disk takes too long to format; more of the others than any host has.
inline constexpr std::uint64_t kMaxDisk = 1ull << 40;
inline constexpr std::uint64_t kMaxMemory = 1ull << 44;
inline constexpr std::uint32_t kMaxCpuMilli = 8192 * 1000;
inline constexpr std::uint32_t kMaxPids = 1 << 22;

enum class LauncherOp : std::uint16_t {
  kCreate = 1,   // CreateRequest + one descriptor per mount and layer (+ the connection)
  kDestroy = 2,  // kill everything in it; the reply comes when all of it is gone
  kFreeze = 3,   // EINPROGRESS: it is told to, but does not stand still yet; ask again, or thaw it
  kThaw = 4,
  kUsage = 5,
  kList = 6,  // ListReplies with all living sandboxes; kListed: more follow
  // ZygoteRequest + a pipe for its report: starts one unless it lives. Without the pipe it is only
  // found, when it has loaded everything (ENOENT: not). Sandboxes use those that were found.
  kZygote = 7,
  kLimits = 8,  // LimitsRequest: other limits of memory, cpu and processes from now on
  kEgress = 9,  // from now on it has a network: the reply brings its listener and its DNS socket
};

struct Limits {
  std::uint64_t memory_bytes = 512ull << 20, disk_bytes = 256ull << 20;
  std::uint64_t inodes = 0;  // 0: one per 4 KiB of disk
  std::uint32_t cpu_milli = 500, pids = 100, open_files = 1024, reserved = 0;
};

struct BoxId {
  std::array<char, kBoxIdSize> text{};
};

struct RequestHeader {
  std::uint32_t magic = kLauncherMagic;
  std::uint16_t version = kLauncherVersion;
  LauncherOp op = LauncherOp::kList;
  BoxId id;
};

// Which zygote: equal keys share one. It loads `modules`, separated by spaces, with the launcher's
// own driver, under this memory limit: a MiB is charged to it for each of its living children, of
// which there may be 2,000. `stamp` tells states of the host's packages apart.
struct ZygoteKey {
  std::uint64_t stamp = 0, memory_bytes = 2ull << 30;
  std::uint32_t idle_seconds = 600;  // it leaves when nobody has needed it for so long
  std::array<char, 516> modules{};
};

struct CreateRequest {
  RequestHeader header{.op = LauncherOp::kCreate};
  Limits limits;
  guest::Token token{};
  std::uint32_t writable_mounts = 0;  // a bit for each
  // Folders of the image store, the lowest layer first; none: the host's own system folders.
  std::uint32_t layer_count = 0;
  // 1: the last descriptor is a connected Unix socket for the guest, which gets no other: nothing
  // to find by name, and nobody to come back. For sandboxes that end with their maker.
  std::uint32_t connected = 0;
  std::uint32_t use_zygote = 0;  // 1: the sandbox is open to `zygote`, if that was found (kZygote)
  ZygoteKey zygote;
  guest::BoxStart start;

  bool may_write(std::uint32_t mount) const { return (writable_mounts >> mount & 1) != 0; }
};

// In `walls` of a reply, beside bits of confine::Wall: somebody got the sockets of its network.
inline constexpr std::uint32_t kEgressOpen = 1u << 31;

// The beginning of a CreateRequest. Of its limits, disk and open files stay as they are.
struct LimitsRequest {
  RequestHeader header{.op = LauncherOp::kLimits};
  Limits limits;
};

struct ZygoteRequest {
  RequestHeader header{.op = LauncherOp::kZygote};  // the id names the request, for its reply
  ZygoteKey key;
};

enum class LauncherStatus : std::uint16_t { kOk = 0, kFailed = 1, kListed = 2, kExited = 3 };

struct UsageFigures {
  std::uint64_t cpu_ns = 0, memory_bytes = 0, memory_peak_bytes = 0;
  std::uint64_t oom_kills = 0, pids = 0, disk_bytes = 0;
};

struct LauncherReply {
  std::uint32_t magic = kLauncherMagic;
  LauncherStatus status = LauncherStatus::kOk;
  LauncherOp op = LauncherOp::kList;  // what this answers; kDestroy's may come after later ones
  Step step = Step::kNone;
  std::uint16_t reserved = 0;
  std::int32_t errno_value = 0;
  // kCreate: bits of confine::Wall that are really up, and whether it has a zygote; kZygote:
  // whether that was started now
  std::uint32_t walls = 0, zygote = 0;
  BoxId id;
  UsageFigures usage;  // kUsage, and kExited: what it had used in the end
};

struct ListReply {
  LauncherReply head{.op = LauncherOp::kList};
  std::uint32_t count = 0;
  std::array<BoxId, kListed> ids;
};

const char* step_name(Step step);

}  // namespace atl::engine
