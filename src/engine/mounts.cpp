#include "engine/mounts.hpp"

#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>

#include "base/send_fds.hpp"
#include "confine/capabilities.hpp"
#include "engine/disk_image.hpp"
#include "engine/helper.hpp"
#include "engine/image_root.hpp"
#include "engine/rootfs.hpp"
#include "engine/slots_make.hpp"

namespace atl::engine {
namespace {

using Given = std::span<const UniqueFd>;
using Parts = std::vector<UniqueFd>;

// A folder of somebody's network may never answer; formatting has a limit of its own.
constexpr unsigned kTime = 120;  // s

// Mounts, namespaces and loop devices; ids in maps, and the formatter's; device nodes; the owner of
// a disk's file; folders of whoever the store belongs to; capabilities to give up. For slots:
// namespaces of other owners and their loopbacks, and the end of what is left in slots.
bool confine_mounts(MountsKind kind) {
  constexpr std::uint64_t kMounts =
      1ull << CAP_SYS_ADMIN | 1ull << CAP_SYS_CHROOT | 1ull << CAP_SETUID | 1ull << CAP_SETGID |
      1ull << CAP_MKNOD | 1ull << CAP_CHOWN | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_SETPCAP;
  constexpr std::uint64_t kForSlots = 1ull << CAP_SYS_ADMIN | 1ull << CAP_NET_ADMIN |
                                      1ull << CAP_SETUID | 1ull << CAP_KILL |
                                      1ull << CAP_DAC_OVERRIDE | 1ull << CAP_SYS_PTRACE;
  std::uint64_t needed = kind == MountsKind::kSlots ? kForSlots : kMounts;
  return confine::keep_only_capabilities(needed, true) == 0 && confine::set_no_new_privs() == 0;
}

// Kept by a mount at SHARED/templates/host. Best effort: a template that cannot be kept still
// serves its launcher.
void keep_template(const UniqueFd& shared, const UniqueFd& mounts, std::string_view stamp) {
  if (open_kept(shared, kTemplateName)) {
    ::umount2(Text("/proc/self/fd/%d/%s", shared.get(), kTemplateName).c_str(), MNT_DETACH);
  }
  if (write_file(shared.get(), kTemplateStamp, stamp, O_WRONLY | O_CREAT | O_TRUNC)) {
    keep_namespace(mounts, shared, kTemplateName);
  }
}

Outcome<Parts> make_template(const MountsOrder& order, Given given) {
  const UniqueFd& shared = given[kTemplateShared];
  UniqueFd lock;
  bool keep = order.stamp[0] != '\0';
  if (keep) {
    // One builder at a time; whoever waited builds a spare, which is fine.
    if (!make_folder(shared.get(), "templates", 0700)) return failed(Step::kTemplate);
    lock = open_at(shared.get(), "templates/lock", O_RDONLY | O_CREAT);
    if (!lock || ::flock(lock.get(), LOCK_EX) != 0) return failed(Step::kTemplate);
  }
  Parts parts(1);
  ATOLL_TRY(parts[0], build_host_template(order.rootless != 0));
  if (keep) {
    if (::setns(given[kTemplateHostMounts].get(), CLONE_NEWNS) != 0) return failed(Step::kTemplate);
    keep_template(shared, parts[0], order.stamp.data());
  }
  return parts;
}

// Where mounts go must exist before the root turns read-only: such a box has a root of its own.
Outcome<UniqueFd> make_root(const MountsOrder& order, Given given, const UniqueFd& owners,
                            std::span<const MountPoint> points) {
  Given layers = given.subspan(kBoxFds + order.request.start.mount_count);
  if (layers.empty()) return build_host_template(order.rootless != 0, points);
  return build_image_root({given[kBoxDisks], given[kBoxTemplate], owners, order.rootless != 0},
                          layers, points);
}

// What a writable root lies over: a mount of its own, of the root that the sandbox would have.
Outcome<UniqueFd> copy_root(Given given, bool own) {
  if (!own && ::setns(given[kBoxTemplate].get(), CLONE_NEWNS) != 0) return failed(Step::kMount);
  UniqueFd tree = clone_mount(AT_FDCWD, "/");
  if (!tree) return failed(Step::kWritableRoot);
  return tree;
}

Outcome<Parts> make_parts(const MountsOrder& order, Given given) {
  const CreateRequest& request = order.request;
  const guest::BoxStart& start = request.start;
  if (given.size() != kBoxFds + start.mount_count + request.layer_count ||
      start.mount_count > kMaxMounts) {
    return failed(Step::kMount, EINVAL);
  }
  Parts parts;
  UniqueFd idmap, owners;
  if (order.rootless == 0 && start.mount_count != 0) {
    idmap = make_idmap(Text("%u %u 1\n", order.mount_owner, order.user_uid),
                       Text("%u %u 1\n", order.mount_group, order.user_uid));
    if (!idmap) return failed(Step::kMount);
  }
  std::array<MountPoint, kMaxMounts> points{};
  for (std::uint32_t i = 0; i < start.mount_count; ++i) {
    const UniqueFd& source = given[kBoxFds + i];
    struct stat info{};
    if (::fstat(source.get(), &info) != 0) return failed(Step::kMount);
    points[i] = {start.mounts[i].data(), S_ISDIR(info.st_mode)};
    ATOLL_TRY(UniqueFd mount, lend_mount(source, !request.may_write(i), points[i].folder, idmap));
    parts.push_back(std::move(mount));
  }
  if (order.rootless == 0 && (start.has_disk != 0 || request.layer_count != 0)) {
    Text both("%u %u 1\n%u %u 1\n", kGuestUid, order.guest_uid, kUserUid, order.user_uid);
    owners = make_idmap(both, both);
    if (!owners) return failed(Step::kMount);
  }
  if (start.has_disk != 0) {
    ATOLL_TRY(UniqueFd disk, make_disk(given[kBoxDisks], start.disk_bytes, start.inodes, owners));
    parts.push_back(std::move(disk));
  }
  UniqueFd root;
  if (start.mount_count + request.layer_count != 0) {
    std::span<const MountPoint> places = std::span(points).first(start.mount_count);
    ATOLL_TRY(root, make_root(order, given, owners, places));
  }
  if (start.writable_root != 0) {
    ATOLL_TRY(UniqueFd below, copy_root(given, static_cast<bool>(root)));
    parts.push_back(std::move(below));
  }
  if (root) parts.push_back(std::move(root));
  return parts;
}

}  // namespace

int make_mounts_process() {
  ::umask(0);
  ::alarm(kTime);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  MountsOrder order;
  std::vector<UniqueFd> given;
  if (receive_fds(kHelperSocket, bytes_at(order), given) != sizeof order || given.size() < 2) {
    return 1;
  }
  bool slots = order.kind == MountsKind::kSlots;
  bool ready = ::setns(given[kBoxHostMounts].get(), CLONE_NEWNS) == 0 &&
               (order.rootless != 0 || confine_mounts(order.kind));
  Outcome<Parts> parts = failed(Step::kMount);
  MountsMade made;
  if (ready && slots) {
    parts = Parts();
    Outcome<void> done = work_on_slots(order, given, made, *parts);
    if (!done) parts = std::unexpected(done.error());
  } else if (ready) {
    parts = order.kind == MountsKind::kTemplate ? make_template(order, given)
                                                : make_parts(order, given);
  }
  std::vector<int> fds;
  if (!parts) {
    made.failure = parts.error();
  } else {
    for (const UniqueFd& part : *parts) fds.push_back(part.get());
  }
  return send_fds(kHelperSocket, &made, sizeof made, fds) > 0 ? 0 : 1;
}

}  // namespace atl::engine
