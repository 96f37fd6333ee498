#include "engine/box.hpp"

#include <linux/landlock.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cstdlib>

#include "confine/walls.hpp"
#include "engine/disk_image.hpp"
#include "engine/image_root.hpp"
#include "engine/rootfs.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

using confine::Wall;
using confine::wall_up;

constexpr int kBuildTime = 10'000;  // ms

constexpr std::uint32_t bit(Wall wall) { return static_cast<std::uint32_t>(wall); }

Outcome<Slot> take_slot(LauncherState& state) {
  if (state.ready_slot) return *std::exchange(state.ready_slot, std::nullopt);
  // A network namespace that must be made is kept by a mount on the host's side.
  if (::setns(state.host_mounts.get(), CLONE_NEWNS) != 0) return failed(Step::kTemplate);
  Outcome<Slot> slot = claim_slot(state.shared, state.cgroups, state.rootless);
  if (::setns(state.host_template.get(), CLONE_NEWNS) != 0) return failed(Step::kTemplate);
  return slot;
}

// What is up around every box of this launcher, beside the limits that set_limits() reports. The
// guest is protected by its own uid or, where there is only one, by Landlock scopes, if the kernel
// has them (Linux 6.12, ABI 6); docs/adr/0007-uids-before-landlock.md.
std::uint32_t standing_walls(bool own_uids) {
  std::uint32_t walls = 0;
  for (std::uint32_t one = 1; one < confine::kAllWalls; one <<= 1) {
    if (wall_up(static_cast<Wall>(one))) walls |= one;
  }
  walls &= ~(bit(Wall::kMemoryLimit) | bit(Wall::kCpuLimit) | bit(Wall::kPidsLimit));
  if (own_uids) return walls & ~bit(Wall::kLandlock);
  constexpr unsigned kVersion = LANDLOCK_CREATE_RULESET_VERSION;
  bool scopes = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersion) >= 6;
  return walls & ~bit(Wall::kOwnUids) & ~(scopes ? 0 : bit(Wall::kLandlock));
}

// The ids of a slot as a map: in the sandbox's own numbering, and as the host sees them.
Text slot_map(const Slot& slot) {
  Ids ids = slot.ids();
  return Text("%u %u 1\n%u %u 1\n", kGuestUid, ids.guest, kUserUid, ids.user);
}

// A detached mount of what the caller opened. O_PATH proves no right to read, and only files of the
// mount owner keep an owner inside: the launcher lends nobody its own rights.
Outcome<UniqueFd> lend_mount(const UniqueFd& source, const MountEntry& entry, bool folder,
                             const UniqueFd& idmap) {
  int flags = ::fcntl(source.get(), F_GETFL);
  if (flags < 0 || (flags & O_PATH) != 0) return failed(Step::kMount, EACCES);
  bool read_only = entry.read_only != 0;
  if (!read_only && !folder && (flags & O_ACCMODE) == O_RDONLY) return failed(Step::kMount, EACCES);
  UniqueFd tree;
  mount_attr attr{};
  if (idmap) {
    attr = show_owners(idmap);
    tree = clone_mount(source.get(), "");
  } else {  // rootless: the same user on both sides of another mount namespace; reopen by path
    char path[4096] = {};
    Text link("/proc/self/fd/%d", source.get());
    if (::readlink(link.c_str(), path, sizeof path - 1) < 0) return failed(Step::kMount);
    tree = clone_mount(AT_FDCWD, path, AT_RECURSIVE);
  }
  attr.propagation = MS_PRIVATE;
  attr.attr_set |= MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (read_only ? MOUNT_ATTR_RDONLY : 0);
  if (!tree || !change_mount(tree.get(), "", attr, idmap ? 0 : AT_RECURSIVE)) {
    return failed(Step::kMount);
  }
  return tree;
}

// Sources live in the host's mount namespace and can be cloned only from there. Where they go must
// exist before the template's root turns read-only, so such a box gets a template of its own.
Outcome<void> prepare_mounts(const LauncherState& state, std::span<UniqueFd> sources,
                             const Slot& slot, BoxPlan& plan) {
  const Limits& limits = plan.request.limits;
  // Writable layers sit in memory up to half of its limit; more, and a full disk is an OOM kill.
  bool disk =
      !state.rootless && wall_up(Wall::kDiskLimit) && limits.disk_bytes > limits.memory_bytes / 2;
  if (state.rootless && limits.disk_bytes > limits.memory_bytes / 2) {
    return failed(Step::kLimits, EOPNOTSUPP);  // no loop devices, and a larger tmpfs is no limit
  }
  std::span<UniqueFd> layers = sources.subspan(plan.request.mount_count);
  sources = sources.first(plan.request.mount_count);
  if (sources.empty() && layers.empty() && !disk) return {};
  if (::setns(state.host_mounts.get(), CLONE_NEWNS) != 0) return failed(Step::kMount);
  UniqueFd idmap;
  if (!state.rootless && !sources.empty()) {
    idmap = make_idmap(Text("%u %u 1\n", state.mount_owner, slot.ids().user));
    if (!idmap) return failed(Step::kMount);
  }
  std::array<MountPoint, kMaxMounts> points{};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const MountEntry& entry = plan.request.mounts[i];
    struct stat info{};
    if (::fstat(sources[i].get(), &info) != 0) return failed(Step::kMount);
    points[i] = {entry.target.data(), S_ISDIR(info.st_mode)};
    ATOLL_TRY(plan.mounts[i], lend_mount(sources[i], entry, points[i].folder, idmap));
  }
  UniqueFd owners;
  if (disk || (!state.rootless && !layers.empty())) {
    owners = make_idmap(slot_map(slot));
    if (!owners) return failed(Step::kMount);
  }
  if (disk) {
    plan.disk = make_disk(state.disks, limits.disk_bytes, inode_limit(limits), owners);
    if (!plan.disk) return failed(Step::kMount);
  }
  std::span<const MountPoint> places = std::span(points).first(sources.size());
  if (!layers.empty()) return build_image_root(state, layers, owners, places);
  ATOLL_CHECK(build_host_template(state.rootless, places));
  return {};
}

// The guest is given no other kind of descriptor, whatever the caller sent.
bool is_unix_stream(const UniqueFd& socket) {
  int domain = 0, type = 0;
  socklen_t size = sizeof domain;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
         ::getsockopt(socket.get(), SOL_SOCKET, SO_TYPE, &type, &size) == 0 && domain == AF_UNIX &&
         type == SOCK_STREAM;
}

Outcome<void> prepare_guest(const LauncherState& state, const Box& box, BoxPlan& plan) {
  plan.guest_program = state.guest_program.get();
  plan.slot_lock = box.slot.lock.get();
  const char* id = box.id.text.data();
  if (plan.request.connected == 0) {
    plan.socket =
        listen_at(state.run, Text("%s.sock", id).c_str(), SOCK_STREAM, state.socket_owner());
  } else if (!is_unix_stream(plan.socket)) {
    return failed(Step::kSocket, ENOTSOCK);
  }
  if (!plan.socket) return failed(Step::kSocket);

  const Limits& limits = plan.request.limits;
  guest::GuestConfig config{.connected = static_cast<std::uint8_t>(plan.request.connected),
                            .user_uid = plan.user_uid,
                            .user_gid = plan.user_uid,
                            .open_files = limits.open_files,
                            .token = plan.request.token};
  for (const UniqueFd& tasks : plan.user_tasks) {
    if (tasks) ++config.task_fds;
  }
  if (plan.zygote) config.zygote = 1;
  // Without a memory cgroup the data segment is what can be limited (RLIMIT_AS would kill node).
  bool limited = (box.walls & bit(Wall::kMemoryLimit)) != 0;
  if (!limited && wall_up(Wall::kMemoryLimit)) config.data_bytes = limits.memory_bytes;
  UniqueFd write_end;
  if (!make_pipe(plan.config, write_end) ||
      ::write(write_end.get(), &config, sizeof config) != sizeof config) {
    return failed(Step::kSocket);
  }
  return {};
}

std::uint64_t namespace_flags() {
  std::uint64_t flags = CLONE_NEWNS;
  if (wall_up(Wall::kUserNs)) flags |= CLONE_NEWUSER;
  if (wall_up(Wall::kPidNs)) flags |= CLONE_NEWPID;
  if (wall_up(Wall::kIpcNs)) flags |= CLONE_NEWIPC;
  if (wall_up(Wall::kUtsNs)) flags |= CLONE_NEWUTS;
  return flags;
}

// Starts pid 1 and waits until it has become the guest.
Outcome<void> start(const LauncherState& state, Box& box, BoxPlan& plan) {
  UniqueFd go_ahead, failure_read, failure_write;
  if (!make_pipe(plan.go_ahead, go_ahead) || !make_pipe(failure_read, failure_write)) {
    return failed(Step::kClone);
  }
  plan.failure = failure_write.get();
  plan.go_ahead_write = go_ahead.get();
  // A zygote can enter only what belongs to its uid: a network namespace of the host's does not.
  bool own_network = static_cast<bool>(plan.zygote);
  if (wall_up(Wall::kNetNs) && !own_network && ::setns(box.slot.netns.get(), CLONE_NEWNET) != 0) {
    return failed(Step::kNetwork);
  }
  OwnedBy zygote(plan.zygote);
  box.pid = clone_child(namespace_flags() | (own_network ? CLONE_NEWNET : 0), box.pidfd);
  if (box.pid == 0) run_box_child(plan);
  zygote.end();
  if (box.pid < 0) return failed(Step::kClone);
  failure_write.reset();
  // A rootless launcher is "root" of its own user namespace, with one uid to give.
  Text map = state.rootless ? Text("%u 0 1\n", kUserUid) : slot_map(box.slot);
  if (wall_up(Wall::kUserNs) && !write_id_maps(box.pid, map, map, state.rootless)) {
    return failed(Step::kMaps);
  }
  (void)!::write(go_ahead.get(), "1", 1);
  // While pid 1 builds: it runs only once it is on record, or it would be nobody's if we died.
  if (!state.once) write_record(state, box);
  (void)!::write(go_ahead.get(), "2", 1);
  // Mounting somebody's folders may hang on his network; nobody else shall wait for that.
  pollfd end{failure_read.get(), POLLIN, 0};
  if (::poll(&end, 1, kBuildTime) == 0) return failed(Step::kExecGuest, ETIMEDOUT);
  Failure failure;
  if (::read(failure_read.get(), &failure, sizeof failure) > 0) return std::unexpected(failure);
  return {};
}

Outcome<void> build(LauncherState& state, std::span<UniqueFd> sources, Box& box, BoxPlan& plan) {
  ATOLL_TRY(box.slot, take_slot(state));
  bool own_uids = !state.rootless && wall_up(Wall::kOwnUids);
  box.walls = standing_walls(own_uids);
  if (!state.rootless) ATOLL_CHECK(box.slot.cgroup.set_limits(plan.request.limits, box.walls));
  bool mapped = wall_up(Wall::kUserNs);
  plan.user_uid = mapped ? kUserUid : box.slot.ids().user;
  plan.guest_uid = !own_uids ? plan.user_uid : mapped ? kGuestUid : box.slot.ids().guest;
  ATOLL_CHECK(state.cgroups.open_tasks(box.slot.cgroup, plan.user_tasks, plan.guest_tasks));
  ATOLL_CHECK(prepare_mounts(state, sources, box.slot, plan));
  if (plan.request.writable_root != 0) {
    box.walls &= ~bit(Wall::kReadOnlyRoot);
    plan.old_root = clone_mount(AT_FDCWD, "/");
  }
  if (!state.rootless) plan.zygote = find_zygote(state.shared, plan.request.zygote);
  ATOLL_CHECK(prepare_guest(state, box, plan));
  ATOLL_CHECK(start(state, box, plan));
  box.has_zygote = plan.zygote && introduce(plan.zygote, box.pidfd, plan);
  return {};
}

}  // namespace

Outcome<Box> create_box(LauncherState& state, const CreateRequest& request,
                        std::span<UniqueFd> sources, UniqueFd connection) {
  Box box{.id = request.header.id};
  BoxPlan plan{.request = request, .rootless = state.rootless, .once = state.once};
  plan.socket = std::move(connection);
  Outcome<void> built = build(state, sources, box, plan);
  // Wherever building it led, the next one starts from the template and the host's network.
  bool back = ::setns(state.host_template.get(), CLONE_NEWNS) == 0 &&
              ::setns(state.host_network.get(), CLONE_NEWNET) == 0;
  if (!back && built) ::abort();
  if (built) return box;
  if (box.pidfd) end_child(box.pidfd);
  // Without a socket of its own the names belong to another sandbox of that id.
  if (plan.socket && request.connected == 0) forget_box(state, box.id);
  return std::unexpected(built.error());
}

}  // namespace atl::engine
