// The host template (rootfs.hpp) as launchers find it: its mount namespace is pinned at a name in
// the folder that they share, beside a stamp of all that it was made from. Making it takes a
// millisecond, entering it 0.02.
#include "confine/walls.hpp"
#include "engine/box.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

// A sum (FNV-1a) of what identifies every source of a template and its maker: a file replaced by an
// upgrade has another inode.
std::uint64_t take_stamp(const UniqueFd& maker) {
  // Only tests build templates without a wall.
  std::uint64_t stamp = confine::wall_up(confine::Wall::kReadOnlyRoot) ? kNoSum : ~kNoSum;
  auto mark = [&](int dir, const char* path) {
    struct stat info{};
    if (::fstatat(dir, path, &info, AT_EMPTY_PATH) != 0) return;
    stamp = sum_up(stamp, bytes_of(info.st_ino));
    stamp = sum_up(stamp, bytes_of(info.st_dev));
    // Folders change inside without becoming another folder; only files are dated.
    if (!S_ISDIR(info.st_mode)) stamp = sum_up(stamp, bytes_of(info.st_mtim.tv_sec));
  };
  mark(maker.get(), "");
  for (const char* source : guest::kHostPlaces) mark(AT_FDCWD, source);
  return stamp;
}

}  // namespace

Outcome<Helper> find_template(LauncherState& state) {
  MountsOrder order{.rootless = state.rootless ? 1u : 0u};
  if (!state.rootless) {
    order.stamp = take_stamp(state.mounts_program);
    // The stamp first: where it is that of a new template, the old one is gone already.
    if (read_file(state.shared.get(), kTemplateStamp) == bytes_of(order.stamp)) {
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
