// The host template (rootfs.hpp) as launchers find it: its mount namespace is pinned at a name in
// the folder that they share, beside a stamp of all that it was made from, which `atoll` takes
// before it starts a launcher. Making it takes a millisecond, entering it 0.02.
#include "confine/walls.hpp"
#include "engine/box.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
Outcome<Helper> find_template(LauncherState& state) {
  MountsOrder order{.rootless = state.rootless ? 1u : 0u};
  // Only tests build templates without a wall.
  std::string_view stamp = state.options.stamp;
  if (!stamp.empty() && confine::wall_up(confine::Wall::kReadOnlyRoot)) {
    stamp.copy(order.stamp.data(), order.stamp.size() - 1);
    // The stamp first: where it is that of a new template, the old one is gone already.
    if (read_file(state.shared.get(), kTemplateStamp) == stamp) {
      state.host_template = open_kept(state.shared, kTemplateName);
      if (state.host_template) return {};
    }
  }
  const int given[] = {state.host_mounts.get(), state.shared.get()};
  return start_helper(Step::kTemplate, state.mounts_program, "atoll-mounts", bytes_of(order),
                      given);
}

Outcome<void> enter_template(LauncherState& state, const Helper& maker) {
  if (maker.process) {
    MountsMade made;
    Outcome<std::vector<UniqueFd>> parts = receive_parts(maker, made, true);
    end_child(maker.process);
    if (!parts) return std::unexpected(parts.error());
    if (!parts->empty()) state.host_template = std::move(parts->front());
  }
  if (::setns(state.host_template.get(), CLONE_NEWNS) != 0) return failed(Step::kTemplate);
  return {};
}

}  // namespace atl::engine
