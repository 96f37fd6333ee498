// What the launcher orders from the program atoll-mounts: everything a sandbox's file system is
// made of, beside the template that most sandboxes share. Where the order is for a sandbox, these
// come back, behind a Failure that is empty: its mounts, its disk, its root.
#pragma once

#include <sys/types.h>

#include "engine/launcher_protocol.hpp"

namespace atl::engine {

// Numbers inside every sandbox.
inline constexpr unsigned kGuestUid = 0;
inline constexpr unsigned kUserUid = 1000;

// Where the host template is kept, and a stamp of all that it was made from.
inline constexpr const char* kTemplateName = "templates/host";
inline constexpr const char* kTemplateStamp = "templates/host.stamp";

enum class MountsKind : std::uint32_t {
  kTemplate,  // the host template, which comes back; descriptors: kTemplateFds
  kBox,       // parts of one sandbox; descriptors: kBoxFds, then its mounts, then its layers
};
enum TemplateFd : std::size_t { kTemplateHostMounts, kTemplateShared, kTemplateFds };
enum BoxFd : std::size_t { kBoxHostMounts, kBoxTemplate, kBoxDisks, kBoxFds };

struct MountsOrder {
  MountsKind kind = MountsKind::kTemplate;
  std::uint32_t rootless = 0;
  // kTemplate: kept for other launchers, with a stamp of what it was made from. Not when rootless.
  std::uint64_t stamp = 0;
  // kBox:
  // whose files the sandbox's user and group see as their own in mounts
  uid_t mount_owner = 0, mount_group = 0;
  uid_t guest_uid = 0, user_uid = 0;  // as the host sees them
  std::uint32_t mount_count = 0;
  std::uint32_t layer_count = 0;
  std::uint64_t disk_bytes = 0;  // 0: no disk
  std::uint64_t inodes = 0;
  std::array<MountEntry, kMaxMounts> mounts;
};

}  // namespace atl::engine
