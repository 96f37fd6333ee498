// The launcher's side of atoll-mounts: what it orders, and what it takes from it.
#include <sched.h>

#include <algorithm>

#include "confine/walls.hpp"
#include "engine/box.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

// Everything that can be written sits in memory up to half of its limit; more, and a full disk
// would be an OOM kill.
bool needs_disk(const LauncherState& state, const Limits& limits) {
  return !state.rootless && confine::wall_up(confine::Wall::kDiskLimit) &&
         limits.disk_bytes > limits.memory_bytes / 2;
}

// Of a writable root also what it lies over.
std::size_t parts_of(const CreateRequest& request) {
  bool root = request.start.mount_count + request.layer_count != 0;
  return request.start.mount_count + request.start.has_disk + request.start.writable_root +
         (root ? 1 : 0);
}

}  // namespace

void complete(const LauncherState& state, CreateRequest& request) {
  guest::BoxStart& start = request.start;
  const Limits& limits = request.limits;
  start.disk_bytes = limits.disk_bytes;
  start.inodes = limits.inodes != 0 ? limits.inodes : limits.disk_bytes / 4096 + 16;
  start.has_disk = needs_disk(state, limits) ? 1 : 0;
  start.image = request.layer_count != 0 ? 1 : 0;
  start.dies_with_launcher = state.options.once ? 1 : 0;
}

bool needs_parts(const CreateRequest& request) { return parts_of(request) != 0; }

Outcome<Helper> order_parts(const LauncherState& state, const BoxOrder& box) {
  Ids ids = box.slot.ids();
  MountsOrder order{.kind = MountsKind::kBox,
                    .rootless = state.rootless ? 1u : 0u,
                    .mount_owner = state.options.mount_owner,
                    .mount_group = state.options.mount_group,
                    .guest_uid = ids.guest,
                    .user_uid = ids.user,
                    .request = box.request};
  // Without a folder for disks: a file, in which nothing can be made or found.
  const UniqueFd& disks = state.disks ? state.disks : state.guest_program;
  std::vector<int> given = {state.host_mounts.get(), state.host_template.get(), disks.get()};
  for (const UniqueFd& source : box.sources) given.push_back(source.get());
  return start_helper(Step::kMount, state.mounts_program, "atoll-mounts", bytes_of(order), given);
}

Outcome<std::vector<UniqueFd>> receive_parts(const Helper& helper, MountsMade& made, bool wait) {
  std::vector<UniqueFd> parts;
  ssize_t size = receive_fds(helper.socket.get(), bytes_at(made), parts, wait);
  if (size != sizeof made) return failed(Step::kMount, EIO);
  if (made.failure.step != Step::kNone) return std::unexpected(made.failure);
  return parts;
}

Outcome<void> order_slots(LauncherState& state, const SlotRange& range, std::size_t wanted) {
  SlotsOrder slots{.range = range,
                   .wanted = static_cast<std::uint32_t>(std::min(wanted, kMaxSlots)),
                   .from = state.slots.next,
                   .remove_idle = state.slots.idle && wanted == 0 ? 1u : 0u};
  std::vector<int> given = {state.host_mounts.get(), state.shared.get(), state.shared.get()};
  const UniqueFd& group = state.cgroups.roots[kMemory];
  if (state.rootless && group) {
    given[kSlotsCgroup] = group.get();
    slots.delegated = 1;
  }
  std::vector<Slot>& unclean = state.slots.unclean;
  for (const Slot& slot : std::span(unclean).first(std::min(unclean.size(), kMaxSlots))) {
    slots.unclean[slots.unclean_count++] = slot.number;
    given.push_back(slot.lock.get());
  }
  MountsOrder order{
      .kind = MountsKind::kSlots, .rootless = state.rootless ? 1u : 0u, .slots = slots};
  ATOLL_TRY(state.slot_maker, start_helper(Step::kSlot, state.mounts_program, "atoll-mounts",
                                           bytes_of(order), given));
  unclean.erase(unclean.begin(), unclean.begin() + slots.unclean_count);
  state.made_owner = range.net_owner;
  if (slots.remove_idle != 0) state.slots.idle = false;
  return {};
}

Outcome<void> receive_slots(LauncherState& state) {
  Helper maker = std::move(state.slot_maker);
  state.slot_maker = {};
  MountsMade made;
  ATOLL_TRY(std::vector<UniqueFd> parts, receive_parts(maker, made));
  for (std::size_t i = 0; i < kMaxSlots && 2 * i + 1 < parts.size(); ++i) {
    Outcome<void> kept = state.slots.keep({.number = made.slots[i],
                                           .lock = std::move(parts[2 * i]),
                                           .netns = std::move(parts[2 * i + 1]),
                                           .net_owner = state.made_owner});
    // One that a zygote has put a process into is lost, and no other.
    if (!kept && kept.error().errno_value != EWOULDBLOCK) return kept;
  }
  return {};
}

Outcome<void> use_parts(BoxOrder& order) {
  // One may be lost on the way, for lack of descriptors.
  if (order.parts.size() != parts_of(order.request)) return failed(Step::kMount, EIO);
  if (order.request.start.mount_count + order.request.layer_count == 0) return {};
  if (::setns(order.parts.back().get(), CLONE_NEWNS) != 0) return failed(Step::kMount);
  order.parts.pop_back();
  return {};
}

}  // namespace atl::engine
