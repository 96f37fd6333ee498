// One native sandbox as the launcher sees it: a slot, pid 1 and its names in the run folder.
#pragma once

#include <sys/types.h>

#include <array>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "engine/launcher_protocol.hpp"
#include "engine/slot.hpp"

namespace atl::engine {

inline constexpr std::size_t kMaxGuestFds = 24;

// Everything pid 1 needs, laid out before the clone: it allocates nothing.
struct BoxPlan {
  const CreateRequest* request = nullptr;
  bool rootless = false;
  unsigned guest_uid = 0;  // both in the sandbox's own numbering; equal when rootless
  unsigned user_uid = 0;
  // Entered in order: user leaf, then (after the cgroup namespace is made) the guests' leaf.
  std::array<int, kControllerCount> user_tasks{-1, -1, -1, -1, -1};
  std::array<int, kControllerCount> guest_tasks{-1, -1, -1, -1, -1};
  std::array<int, kMaxMounts> mounts{};  // detached mounts, ready to be attached
  int disk = -1;                         // a detached disk image for everything writable; -1: tmpfs
  int maps_ready = -1;                   // one byte: the parent has written the uid maps
  int failure = -1;                      // a Failure goes here; closed by a successful exec
  int guest_program = -1;
  // The guest's descriptors, from 3 on: config, listening socket, tasks, …, slot lock.
  std::array<int, kMaxGuestFds> guest_fds{};
  std::size_t guest_fd_count = 0;
};

inline std::uint64_t inode_limit(const Limits& limits) {
  return limits.inodes != 0 ? limits.inodes : limits.disk_bytes / 4096 + 16;
}

struct Failure {
  Step step = Step::kNone;
  std::int32_t errno_value = 0;
};

// pid 1 of the sandbox, between clone and exec of the guest. Never returns.
[[noreturn]] void run_box_child(const BoxPlan& plan) noexcept;

struct Box {
  BoxId id;
  Slot slot;
  UniqueFd pidfd;
  pid_t pid = 0;
  bool is_child = true;  // false: found again after a restart of the launcher
  bool dying = false;
  std::uint32_t walls = 0;
};

// What the launcher is, for all of its sandboxes.
struct LauncherState {
  UniqueFd run;            // this launcher's folder: sockets and records
  UniqueFd shared;         // slots, kept namespaces: one folder for all launchers of this host
  UniqueFd host_mounts;    // mount namespaces to stand in while opening sources …
  UniqueFd host_template;  // … and while cloning
  UniqueFd disks;          // where disk images live, unnamed
  UniqueFd guest_program;
  Cgroups cgroups;
  bool rootless = false;
  uid_t client_uid = 0;    // owner of the sockets: whom `atoll` runs as
  uid_t mount_owner = 0;   // whose files the sandbox's user sees as his own in mounts
  std::optional<Slot> ready_slot;  // claimed before anyone asked
};

// Builds the sandbox. On failure nothing is left behind and the Failure says which step.
std::expected<Box, Failure> create_box(LauncherState& state, const CreateRequest& request,
                                       std::span<UniqueFd> sources);
// Removes what the box had in the run folder; its slot is free again when the Box is destroyed.
void forget_box(const LauncherState& state, const Box& box);
// The boxes of an earlier launcher that still live, by their records.
std::vector<Box> find_boxes(const LauncherState& state);

}  // namespace atl::engine
