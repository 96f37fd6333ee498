// What the launcher orders from the program atoll-mounts: everything a sandbox's file system is
// made of, beside the template that most sandboxes share. Where the order is for a sandbox, these
// come back, behind a Failure that is empty: its mounts, its disk, for a writable root what lies
// below it, its root.
#pragma once

#include <sys/types.h>

#include "engine/launcher_protocol.hpp"
#include "engine/slot.hpp"

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
  kSlots,     // see SlotsOrder; descriptors: kSlotsFds, then the locks of unclean slots
};
enum TemplateFd : std::size_t { kTemplateHostMounts, kTemplateShared, kTemplateFds };
enum BoxFd : std::size_t { kBoxHostMounts, kBoxTemplate, kBoxDisks, kBoxFds };
enum SlotsFd : std::size_t { kSlotsHostMounts, kSlotsShared, kSlotsCgroup, kSlotsFds };

inline constexpr std::size_t kMaxSlots = 16;  // at once
struct SlotsOrder {
  SlotRange range;
  std::uint32_t wanted = 0, from = 0;  // so many new ones; free numbers are likely from here on
  std::uint32_t remove_idle = 0;
  std::uint32_t delegated = 0;  // rootless: kSlotsCgroup is a group of the user's
  std::uint32_t unclean_count = 0;
  std::array<std::uint32_t, kMaxSlots> unclean{};  // what is left in these is killed
};

struct MountsOrder {
  MountsKind kind = MountsKind::kTemplate;
  std::uint32_t rootless = 0;
  // kTemplate: kept for other launchers, with this stamp of what it was made from; without, not.
  std::array<char, 24> stamp{};
  // kBox:
  // whose files the sandbox's user and group see as their own in mounts
  uid_t mount_owner = 0, mount_group = 0;
  uid_t guest_uid = 0, user_uid = 0;  // as the host sees them
  CreateRequest request;
  SlotsOrder slots;
};

// The answer; what was made comes with it. kSlots: the numbers of new ones, in its order.
struct MountsMade {
  guest::StartFailure failure;
  std::array<std::uint32_t, kMaxSlots> slots{};
};

}  // namespace atl::engine
