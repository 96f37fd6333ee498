// The launcher's side of atoll-mounts: what it orders, and what it takes from it.
#include <sched.h>

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

}  // namespace

bool needs_parts(const LauncherState& state, const CreateRequest& request) {
  return request.mount_count + request.layer_count != 0 || needs_disk(state, request.limits);
}

Outcome<Helper> order_parts(const LauncherState& state, const BoxOrder& box) {
  const CreateRequest& request = box.request;
  Ids ids = box.slot.ids();
  MountsOrder order{.kind = MountsKind::kBox,
                    .rootless = state.rootless ? 1u : 0u,
                    .mount_owner = state.mount_owner,
                    .mount_group = state.mount_group,
                    .guest_uid = ids.guest,
                    .user_uid = ids.user,
                    .mount_count = request.mount_count,
                    .layer_count = request.layer_count,
                    .mounts = request.mounts};
  if (needs_disk(state, request.limits)) {
    order.disk_bytes = request.limits.disk_bytes;
    order.inodes = inode_limit(request.limits);
  }
  // Without a folder for disks: a file, in which nothing can be made or found.
  const UniqueFd& disks = state.disks ? state.disks : state.guest_program;
  std::vector<int> given = {state.host_mounts.get(), state.host_template.get(), disks.get()};
  for (const UniqueFd& source : box.sources) given.push_back(source.get());
  return start_helper(Step::kMount, state.mounts_program, "atoll-mounts", bytes_of(order), given);
}

Outcome<std::vector<UniqueFd>> receive_parts(const Helper& helper, bool wait) {
  std::vector<UniqueFd> parts;
  Failure failure;
  ssize_t size = receive_fds(helper.socket.get(), bytes_at(failure), parts, wait);
  if (size != sizeof failure) return failed(Step::kMount, EIO);
  if (failure.step != Step::kNone) return std::unexpected(failure);
  return parts;
}

Outcome<void> use_parts(BoxOrder& order, BoxPlan& plan) {
  std::size_t mounts = order.request.mount_count;
  bool root = mounts + order.request.layer_count != 0;
  if (order.parts.size() < mounts + (root ? 1 : 0)) return failed(Step::kMount, EIO);
  auto next = order.parts.begin();
  for (std::size_t i = 0; i < mounts; ++i) plan.mounts[i] = std::move(*next++);
  if (order.parts.size() > mounts + (root ? 1 : 0)) plan.disk = std::move(*next++);
  if (root && ::setns(next->get(), CLONE_NEWNS) != 0) return failed(Step::kMount);
  return {};
}

}  // namespace atl::engine
