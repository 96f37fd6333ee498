// What `atoll` may ask of the launcher, on a SOCK_SEQPACKET socket: fixed-size structs, one message
// a request, one a reply, in order. The words are chosen so that a hijacked `atoll` can say nothing
// harmful: no host path (mount sources are descriptors the caller opened), no uid (the launcher has
// its own range), no namespace to share and no wall to leave out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "guest/start.hpp"

namespace atl::engine {

inline constexpr std::uint32_t kLauncherMagic = 0x48434e4c;  // "LNCH"
inline constexpr std::uint16_t kLauncherVersion = 1;
inline constexpr std::size_t kMaxMounts = 16;
inline constexpr std::size_t kMaxLayers = 128;
inline constexpr std::size_t kMaxDescriptors = kMaxMounts + kMaxLayers + 1;
inline constexpr std::size_t kMaxRules = 64;
inline constexpr std::size_t kMaxBoxPath = 256;  // a path inside the sandbox, with its NUL
inline constexpr std::size_t kBoxIdSize = 40;    // [a-z0-9-], with its NUL

enum class LauncherOp : std::uint16_t {
  kCreate = 1,   // CreateRequest + one descriptor per mount and layer (+ the connection)
  kDestroy = 2,  // kill everything in it; the reply comes when all of it is gone
  kFreeze = 3,
  kThaw = 4,
  kUsage = 5,
  kList = 6,    // one kListed reply per living sandbox, then kOk
  kZygote = 7,  // ZygoteRequest + its script + a pipe for its word: starts it unless it lives
  kLimits = 8,  // LimitsRequest: other limits of memory, cpu and processes from now on
};

struct Limits {
  std::uint64_t memory_bytes = 512ull << 20;
  std::uint64_t disk_bytes = 256ull << 20;
  std::uint64_t inodes = 0;  // 0: one per 4 KiB of disk
  std::uint32_t cpu_milli = 500;
  std::uint32_t pids = 100;
  std::uint32_t open_files = 1024;
  std::uint32_t reserved = 0;
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

struct MountEntry {
  std::array<char, kMaxBoxPath> target{};
  std::uint32_t read_only = 1;
};

enum class PathAction : std::uint32_t { kHide = 1, kReadOnly = 2, kWritable = 3 };
struct PathRule {
  PathAction action = PathAction::kHide;
  std::array<char, kMaxBoxPath> path{};
};

struct CreateRequest {
  RequestHeader header{.op = LauncherOp::kCreate};
  Limits limits;
  guest::Token token{};
  std::uint32_t mount_count = 0;
  std::uint32_t rule_count = 0;
  // Folders of the image store, the lowest layer first; none: the host's own system folders.
  std::uint32_t layer_count = 0;
  // 1: the last descriptor is a connected Unix socket for the guest, which gets no other: nothing
  // to find by name, and nobody to come back. For sandboxes that end with their maker.
  std::uint32_t connected = 0;
  std::uint32_t writable_root = 0;  // 1: the user may write in /, within the limit of the disk
  BoxId zygote;  // the sandbox shall be open to this one, if it lives; empty: to none
  std::array<char, 64> hostname{};
  std::array<MountEntry, kMaxMounts> mounts;
  std::array<PathRule, kMaxRules> rules;
};

// The beginning of a CreateRequest. Of its limits, disk and open files stay as they are.
struct LimitsRequest {
  RequestHeader header{.op = LauncherOp::kLimits};
  Limits limits;
};

// A zygote runs with a uid of its own, without capabilities, behind a system-call filter, in
// namespaces with nothing in them, and under this limit: a MiB is charged to it for each of its
// living children, of which there may be 2,000.
struct ZygoteRequest {
  RequestHeader header{.op = LauncherOp::kZygote};
  std::uint64_t memory_bytes = 2ull << 30;
  std::uint32_t idle_seconds = 600;  // it leaves when nobody has needed it for so long
  std::array<char, 516> modules{};   // what it loads, separated by spaces
};

enum class LauncherStatus : std::uint16_t { kOk = 0, kFailed = 1, kListed = 2, kExited = 3 };

// Where a create failed; names in step_name(). The errno beside it says why.
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
  kCgroupNs,
  kProc,
  kTmpfs,
  kDevpts,
  kMasks,
  kHostname,
  kIdentity,
  kCapabilities,
  kSeccomp,
  kExecGuest,
  kUnknownBox,
  kBusy,
  kZygote,
  kImage,
  kWritableRoot,
};

struct UsageFigures {
  std::uint64_t cpu_ns = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_peak_bytes = 0;
  std::uint64_t oom_kills = 0;
  std::uint64_t pids = 0;
  std::uint64_t disk_bytes = 0;
};

struct LauncherReply {
  std::uint32_t magic = kLauncherMagic;
  LauncherStatus status = LauncherStatus::kOk;
  LauncherOp op = LauncherOp::kList;  // what this answers; kDestroy's may come after later ones
  Step step = Step::kNone;
  std::int32_t errno_value = 0;
  std::uint32_t walls = 0;   // kCreate: bits of confine::Wall that are really up
  std::uint32_t zygote = 0;  // kCreate: it has one; kZygote: it was started now
  BoxId id;
  UsageFigures usage;  // kUsage, and kExited: what it had used in the end
};

const char* step_name(Step step);

}  // namespace atl::engine
