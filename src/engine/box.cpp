#include "engine/box.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "confine/landlock.hpp"
#include "confine/walls.hpp"
#include "engine/box_record.hpp"
#include "engine/disk_image.hpp"
#include "engine/idmap.hpp"
#include "engine/rootfs.hpp"

namespace atl::engine {
namespace {

using confine::Wall;
using confine::wall_up;

std::unexpected<Failure> failed(Step step, int error = errno) { return std::unexpected(Failure{step, error}); }
std::unexpected<Failure> failed(Step step, const Error& error) {
  return failed(step, error.errno_value() != 0 ? error.errno_value() : EIO);
}

// Descriptors that pid 1 inherits; closed here once it runs.
struct Handover {
  UniqueFd config;
  UniqueFd listener;
  std::array<UniqueFd, kControllerCount> user_tasks;
  std::array<UniqueFd, kControllerCount> guest_tasks;
  std::array<UniqueFd, kMaxMounts> mounts;
  UniqueFd disk;
  UniqueFd maps_read, maps_write;
  UniqueFd failure_read, failure_write;
};

Result<UniqueFd> bind_listener(const LauncherState& state, const BoxId& id) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail_errno("socket");
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s.sock", state.run.get(),
                id.text.data());
  // 0600 from the first moment on: nobody else may connect in between.
  mode_t old_mask = ::umask(0177);
  int bound = ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  int bind_error = errno;
  ::umask(old_mask);
  if (bound != 0) return fail_errno("bind", bind_error);
  char name[64];
  std::snprintf(name, sizeof name, "%s.sock", id.text.data());
  if (!state.rootless && ::fchownat(state.run.get(), name, state.client_uid, static_cast<gid_t>(-1), AT_SYMLINK_NOFOLLOW) != 0) {
    return fail_errno("chown");
  }
  if (::listen(fd.get(), 8) != 0) return fail_errno("listen");
  return fd;
}

Result<UniqueFd> write_config(const LauncherState& state, const CreateRequest& request, const BoxPlan& plan,
                              std::size_t tasks, std::uint32_t walls) {
  guest::GuestConfig config;
  config.task_fds = static_cast<std::uint8_t>(tasks);
  config.user_uid = config.user_gid = plan.user_uid;
  config.open_files = request.limits.open_files;
  // Without a memory cgroup the data segment is what can be limited (RLIMIT_AS would kill node).
  bool limited = (walls & static_cast<std::uint32_t>(Wall::kMemoryLimit)) != 0;
  if (!limited && state.rootless) config.data_bytes = request.limits.memory_bytes;
  config.token = request.token;
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return fail_errno("pipe");
  UniqueFd read_end(pipe[0]);
  UniqueFd write_end(pipe[1]);
  if (::write(write_end.get(), &config, sizeof config) != sizeof config) return fail_errno("write config");
  return read_end;
}

// A detached, read-only or writable mount of what the caller opened. O_PATH proves no right to read,
// and only files of the mount owner keep an owner inside: the launcher lends nobody its own rights.
Result<UniqueFd> clone_mount(const LauncherState& state, const UniqueFd& source, bool read_only, const UniqueFd& idmap) {
  int flags = ::fcntl(source.get(), F_GETFL);
  if (flags < 0 || (flags & O_PATH) != 0) return fail(Error(Code::kForbidden, "mount source is not open", EACCES));
  if (!read_only && (flags & O_ACCMODE) == O_RDONLY) {
    struct stat info {};
    if (::fstat(source.get(), &info) != 0 || !S_ISDIR(info.st_mode)) {
      return fail(Error(Code::kForbidden, "mount source is not open for writing", EACCES));
    }
  }
  UniqueFd tree;
  if (state.rootless) {  // the same user on both sides of another mount namespace: reopen by path
    char link[64];
    char path[4096] = {};
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", source.get());
    if (::readlink(link, path, sizeof path - 1) < 0) return fail_errno("readlink");
    tree.reset(::open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
  } else {
    tree.reset(::open_tree(source.get(), "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  }
  if (!tree) return fail_errno("open_tree");
  mount_attr attr{.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, .attr_clr = 0, .propagation = MS_PRIVATE, .userns_fd = 0};
  if (read_only) attr.attr_set |= MOUNT_ATTR_RDONLY;
  if (idmap) {
    attr.attr_set |= MOUNT_ATTR_IDMAP;
    attr.userns_fd = static_cast<std::uint64_t>(idmap.get());
  }
  if (::mount_setattr(tree.get(), "", AT_EMPTY_PATH | (state.rootless ? AT_RECURSIVE : 0), &attr, sizeof attr) != 0) {
    return fail_errno("mount_setattr");
  }
  return tree;
}

// Writable layers sit in memory up to half of the limit; beyond that a full disk would be an OOM kill.
bool needs_disk(const LauncherState& state, const Limits& limits) {
  return !state.rootless && wall_up(Wall::kDiskLimit) && limits.disk_bytes > limits.memory_bytes / 2;
}

// Sources live in the host's mount namespace and can be cloned only from there. The places where they
// go must exist in the template before its root turns read-only, so such a box gets its own template.
Result<void> prepare_mounts(const LauncherState& state, const CreateRequest& request, std::span<UniqueFd> sources,
                            const Slot& slot, Handover& hand) {
  bool disk = needs_disk(state, request.limits);
  if (sources.empty() && !disk) return {};
  if (::setns(state.host_mounts.get(), CLONE_NEWNS) != 0) return fail_errno("enter host mounts");
  UniqueFd idmap;
  if (!state.rootless) {
    IdPair pair{state.mount_owner, slot.ids().user};
    ATOLL_TRY(idmap, make_idmap({&pair, 1}));
  }
  std::array<MountPoint, kMaxMounts> points{};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const MountEntry& entry = request.mounts[i];
    struct stat info {};
    if (::fstat(sources[i].get(), &info) != 0) return fail_errno("fstat");
    points[i] = {entry.target.data(), S_ISDIR(info.st_mode)};
    ATOLL_TRY(hand.mounts[i], clone_mount(state, sources[i], entry.read_only != 0, idmap));
  }
  if (disk) {
    IdPair pairs[] = {{kGuestUid, slot.ids().guest}, {kUserUid, slot.ids().user}};
    ATOLL_TRY(UniqueFd owners, make_idmap(pairs));
    ATOLL_TRY(hand.disk, make_disk(state.disks, request.limits.disk_bytes, inode_limit(request.limits), owners));
  }
  ATOLL_TRY(UniqueFd own, build_host_template(state.rootless, std::span(points).first(sources.size())));
  return {};
}

Result<void> open_tasks(const LauncherState& state, const Slot& slot, Handover& hand, BoxPlan& plan) {
  if (state.rootless || slot.cgroup.unified()) return {};
  for (int i = 0; i < kControllerCount; ++i) {
    auto controller = static_cast<Controller>(i);
    if (!slot.cgroup.has(controller)) continue;
    ATOLL_TRY(hand.user_tasks[i], slot.cgroup.open_tasks(controller));
    plan.user_tasks[i] = hand.user_tasks[i].get();
    // The guest's own time is the sandbox's time too, so it stays in the account's leaf.
    if (controller == kCpuAcct) continue;
    ATOLL_TRY(hand.guest_tasks[i], state.cgroups.open_guest_tasks(controller));
    plan.guest_tasks[i] = hand.guest_tasks[i].get();
  }
  return {};
}

std::uint64_t namespace_flags() {
  struct Flag {
    Wall wall;
    std::uint64_t flag;
  };
  constexpr Flag kFlags[] = {{Wall::kUserNs, CLONE_NEWUSER}, {Wall::kPidNs, CLONE_NEWPID}, {Wall::kIpcNs, CLONE_NEWIPC},
                             {Wall::kUtsNs, CLONE_NEWUTS}};
  std::uint64_t flags = CLONE_NEWNS;
  for (Flag entry : kFlags) {
    if (wall_up(entry.wall)) flags |= entry.flag;
  }
  return flags;
}

// What is up around every box of this launcher, beside the limits that set_limits() reports.
std::uint32_t standing_walls(const LauncherState& state) {
  std::uint32_t walls = 0;
  for (std::uint32_t bit = 1; bit < confine::kAllWalls; bit <<= 1) {
    auto wall = static_cast<Wall>(bit);
    bool counted = wall == Wall::kMemoryLimit || wall == Wall::kCpuLimit || wall == Wall::kPidsLimit;
    bool rootless_gap = state.rootless && (wall == Wall::kOwnUids);
    bool kernel_gap = wall == Wall::kLandlock && !confine::landlock_scopes_available();
    if (!counted && !rootless_gap && !kernel_gap && wall_up(wall)) walls |= bit;
  }
  return walls;
}

Result<void> map_ids(const LauncherState& state, pid_t pid, const Slot& slot) {
  if (state.rootless) {
    // The launcher is "root" of its own user namespace, with one uid to give.
    IdPair pair{kUserUid, 0};
    return write_id_maps(pid, {&pair, 1}, true);
  }
  IdPair pairs[] = {{kGuestUid, slot.ids().guest}, {kUserUid, slot.ids().user}};
  return write_id_maps(pid, pairs, false);
}

Result<void> make_pipes(Handover& hand) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return fail_errno("pipe");
  hand.maps_read.reset(fds[0]);
  hand.maps_write.reset(fds[1]);
  if (::pipe2(fds, O_CLOEXEC) != 0) return fail_errno("pipe");
  hand.failure_read.reset(fds[0]);
  hand.failure_write.reset(fds[1]);
  return {};
}

void lay_out_guest_fds(const Slot& slot, const Handover& hand, BoxPlan& plan, std::size_t& tasks) {
  plan.guest_fds[0] = hand.config.get();
  plan.guest_fds[1] = hand.listener.get();
  plan.guest_fd_count = 2;
  tasks = 0;
  for (int fd : plan.user_tasks) {
    if (fd < 0) continue;
    plan.guest_fds[plan.guest_fd_count++] = fd;
    ++tasks;
  }
  plan.guest_fds[plan.guest_fd_count++] = slot.lock.get();  // keeps the slot taken while pid 1 lives
}

std::expected<Box, Failure> build_box(LauncherState& state, const CreateRequest& request, std::span<UniqueFd> sources) {
  Box box{.id = request.header.id};
  if (state.ready_slot) {
    box.slot = std::move(*state.ready_slot);
    state.ready_slot.reset();
  } else {
    // A network namespace that must be made is kept by a mount on the host's side.
    if (::setns(state.host_mounts.get(), CLONE_NEWNS) != 0) return failed(Step::kTemplate);
    Result<Slot> slot = claim_slot(state.shared, state.cgroups, state.rootless);
    if (::setns(state.host_template.get(), CLONE_NEWNS) != 0) return failed(Step::kTemplate);
    if (!slot) return failed(Step::kSlot, slot.error());
    box.slot = std::move(*slot);
  }
  box.walls = standing_walls(state);
  if (!state.rootless) {
    if (Result<void> set = box.slot.cgroup.set_limits(request.limits, box.walls); !set) return failed(Step::kLimits, set.error());
  }
  if (wall_up(Wall::kNetNs) && ::setns(box.slot.netns.get(), CLONE_NEWNET) != 0) return failed(Step::kNetwork);

  Handover hand;
  BoxPlan plan{.request = &request, .rootless = state.rootless};
  bool own_uids = !state.rootless && wall_up(Wall::kOwnUids);
  bool mapped = wall_up(Wall::kUserNs);
  plan.user_uid = mapped ? kUserUid : box.slot.ids().user;
  plan.guest_uid = !own_uids ? plan.user_uid : mapped ? kGuestUid : box.slot.ids().guest;
  if (Result<void> made = open_tasks(state, box.slot, hand, plan); !made) return failed(Step::kCgroup, made.error());
  if (Result<void> made = prepare_mounts(state, request, sources, box.slot, hand); !made) {
    return failed(Step::kMount, made.error());
  }
  for (std::size_t i = 0; i < sources.size(); ++i) plan.mounts[i] = hand.mounts[i].get();
  plan.disk = hand.disk.get();
  if (Result<void> made = make_pipes(hand); !made) return failed(Step::kClone, made.error());
  plan.maps_ready = hand.maps_read.get();
  plan.failure = hand.failure_write.get();
  plan.guest_program = state.guest_program.get();

  Result<UniqueFd> listener = bind_listener(state, request.header.id);
  if (!listener) return failed(Step::kSocket, listener.error());
  hand.listener = std::move(*listener);
  std::size_t tasks = 0;
  lay_out_guest_fds(box.slot, hand, plan, tasks);
  Result<UniqueFd> config = write_config(state, request, plan, tasks, box.walls);
  if (!config) return forget_box(state, box), failed(Step::kSocket, config.error());
  hand.config = std::move(*config);
  plan.guest_fds[0] = hand.config.get();

  int pidfd = -1;
  clone_args args{};
  args.flags = namespace_flags() | CLONE_PIDFD;
  args.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  args.exit_signal = SIGCHLD;
  UniqueFd guests;
  if (box.slot.cgroup.unified() && !state.rootless) {
    Result<UniqueFd> dir = state.cgroups.open_guest_dir();
    if (!dir) return forget_box(state, box), failed(Step::kCgroup, dir.error());
    guests = std::move(*dir);
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(guests.get());
  }
  auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
  if (pid == 0) run_box_child(plan);
  if (pid < 0) return forget_box(state, box), failed(Step::kClone);
  box.pid = pid;
  box.pidfd.reset(pidfd);
  hand.failure_write.reset();

  Failure failure{};
  Result<void> mapped_ids = mapped ? map_ids(state, pid, box.slot) : Result<void>{};
  if (mapped_ids) {
    (void)!::write(hand.maps_write.get(), "1", 1);
    write_record(state, box);  // while pid 1 builds: a record is needed only once it runs
    if (::read(hand.failure_read.get(), &failure, sizeof failure) <= 0) return box;
  } else {
    failure = {Step::kMaps, mapped_ids.error().errno_value()};
  }
  ::syscall(SYS_pidfd_send_signal, box.pidfd.get(), SIGKILL, nullptr, 0);
  siginfo_t info{};
  ::waitid(P_PIDFD, static_cast<id_t>(box.pidfd.get()), &info, WEXITED);
  forget_box(state, box);
  return std::unexpected(failure);
}

}  // namespace

std::expected<Box, Failure> create_box(LauncherState& state, const CreateRequest& request, std::span<UniqueFd> sources) {
  std::expected<Box, Failure> box = build_box(state, request, sources);
  // Wherever building it led, the next one starts from the template.
  if (::setns(state.host_template.get(), CLONE_NEWNS) != 0 && box) ::abort();
  return box;
}

}  // namespace atl::engine
