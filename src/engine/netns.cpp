#include "engine/netns.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cstdio>
#include <cstring>

namespace atl::engine {

Result<UniqueFd> make_netns() {
  if (::unshare(CLONE_NEWNET) != 0) return fail_errno("unshare network");
  UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  if (!socket || ::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) return fail_errno("bring up loopback");
  UniqueFd netns(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
  if (!netns) return fail_errno("open network namespace");
  return netns;
}

Result<UniqueFd> open_kept_netns(const UniqueFd& shared, unsigned number) {
  char name[32];
  std::snprintf(name, sizeof name, "net/%u", number);
  UniqueFd kept(::openat(shared.get(), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct statfs fs {};
  if (kept && ::fstatfs(kept.get(), &fs) == 0 && fs.f_type == NSFS_MAGIC) return kept;

  if (::mkdirat(shared.get(), "net", 0700) != 0 && errno != EEXIST) return fail_errno("mkdir net");
  UniqueFd spot(::openat(shared.get(), name, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!spot) return fail_errno("create network namespace file");
  ATOLL_TRY(UniqueFd netns, make_netns());
  // By descriptors, so that no path is walked twice.
  UniqueFd tree(::open_tree(netns.get(), "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (!tree) return fail_errno("clone network namespace mount");
  if (::move_mount(tree.get(), "", spot.get(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) {
    return fail_errno("keep network namespace");
  }
  return netns;
}

}  // namespace atl::engine
