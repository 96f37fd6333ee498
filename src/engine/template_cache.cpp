#include "engine/template_cache.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <array>
#include <cstdint>
#include <cstdio>

#include "confine/walls.hpp"
#include "engine/rootfs.hpp"

namespace atl::engine {
namespace {

constexpr const char* kPinned = "templates/host";
constexpr const char* kStampFile = "templates/host.stamp";

// The identity of every source and of this program: a file replaced by an upgrade has another inode.
struct Stamp {
  std::uint32_t walls_down = 0;  // only tests build templates without a wall
  std::array<std::uint64_t, 3 * 16> marks{};
  bool operator==(const Stamp&) const = default;
};

Stamp take_stamp() {
  Stamp stamp;
  stamp.walls_down = confine::wall_up(confine::Wall::kReadOnlyRoot) ? 0 : 1;
  std::size_t at = 0;
  auto mark = [&](const char* path) {
    struct stat info {};
    if (::stat(path, &info) == 0) {
      stamp.marks[at] = info.st_ino;
      stamp.marks[at + 1] = info.st_dev;
      // Folders change inside without becoming another folder; only files are dated.
      stamp.marks[at + 2] = S_ISDIR(info.st_mode) ? 0 : static_cast<std::uint64_t>(info.st_mtim.tv_sec);
    }
    at += 3;
  };
  mark("/proc/self/exe");
  mark("/usr");
  for (const char* source : host_template_sources()) mark(source);
  return stamp;
}

bool read_stamp(const UniqueFd& shared, Stamp& stamp) {
  UniqueFd fd(::openat(shared.get(), kStampFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return fd && ::read(fd.get(), &stamp, sizeof stamp) == sizeof stamp;
}

UniqueFd open_pinned(const UniqueFd& shared) {
  UniqueFd pinned(::openat(shared.get(), kPinned, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct statfs fs {};
  if (!pinned || ::fstatfs(pinned.get(), &fs) != 0 || fs.f_type != NSFS_MAGIC) return {};
  return pinned;
}

// Best effort: a template that cannot be kept still serves this launcher.
void pin(const UniqueFd& shared, const UniqueFd& mounts, const Stamp& stamp) {
  UniqueFd spot;
  if (open_pinned(shared)) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d/%s", shared.get(), kPinned);
    ::umount2(path, MNT_DETACH);
  }
  spot.reset(::openat(shared.get(), kPinned, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  UniqueFd tree(::open_tree(mounts.get(), "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (!spot || !tree) return;
  UniqueFd note(::openat(shared.get(), kStampFile, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  bool noted = note && ::write(note.get(), &stamp, sizeof stamp) == sizeof stamp;
  if (noted) ::move_mount(tree.get(), "", spot.get(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

}  // namespace

Result<UniqueFd> enter_host_template(const UniqueFd& shared, const UniqueFd& host_mounts, bool rootless) {
  if (rootless) return build_host_template(true);
  Stamp now = take_stamp();
  Stamp kept;
  if (UniqueFd pinned = open_pinned(shared); pinned && read_stamp(shared, kept) && kept == now) {
    if (::setns(pinned.get(), CLONE_NEWNS) != 0) return fail_errno("enter template");
    return pinned;
  }
  if (::mkdirat(shared.get(), "templates", 0700) != 0 && errno != EEXIST) return fail_errno("mkdir templates");
  // One builder at a time; whoever waited finds it done or builds a spare, both are fine.
  UniqueFd lock(::openat(shared.get(), "templates/lock", O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock || ::flock(lock.get(), LOCK_EX) != 0) return fail_errno("lock templates");
  ATOLL_TRY(UniqueFd mounts, build_host_template(false));
  if (::setns(host_mounts.get(), CLONE_NEWNS) != 0) return fail_errno("enter host mounts");
  pin(shared, mounts, now);
  if (::setns(mounts.get(), CLONE_NEWNS) != 0) return fail_errno("enter template");
  return mounts;
}

}  // namespace atl::engine
