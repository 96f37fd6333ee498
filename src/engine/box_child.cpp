// Pid 1 of a sandbox, between clone and exec: no allocation, no locks, nothing but system calls on
// what BoxPlan holds. Reviewers read this file twice.
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "confine/capabilities.hpp"
#include "confine/seccomp.hpp"
#include "confine/walls.hpp"
#include "engine/box.hpp"
#include "engine/rootfs.hpp"

namespace atl::engine {
namespace {

using confine::Wall;
using confine::wall_up;

[[noreturn]] void die(const BoxPlan& plan, Step step, int error = errno) noexcept {
  Failure failure{step, error};
  (void)!::write(plan.failure, &failure, sizeof failure);
  ::_exit(1);
}

void enter_tasks(const BoxPlan& plan, const std::array<int, kControllerCount>& tasks) noexcept {
  for (int fd : tasks) {
    if (fd >= 0 && ::write(fd, "0", 1) != 1) die(plan, Step::kTasks);
  }
}

// The cgroup namespace is made while standing in the user's leaf, so that user code sees itself at "/".
void enter_cgroups(const BoxPlan& plan) noexcept {
  enter_tasks(plan, plan.user_tasks);
  if (wall_up(Wall::kCgroupNs) && ::unshare(CLONE_NEWCGROUP) != 0) die(plan, Step::kCgroupNs);
  enter_tasks(plan, plan.guest_tasks);
}

constexpr const char* kMaskedFiles[] = {"/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/latency_stats",
                                        "/proc/sched_debug", "/proc/kmsg", "/proc/kallsyms", "/proc/key-users"};
constexpr const char* kMaskedFolders[] = {"/proc/acpi", "/proc/scsi", "/proc/asound"};

int bind_read_only(const char* path) noexcept {
  if (::mount(path, path, nullptr, MS_BIND | MS_REC, nullptr) != 0) return errno;
  mount_attr attr{.attr_set = MOUNT_ATTR_RDONLY, .attr_clr = 0, .propagation = 0, .userns_fd = 0};
  if (::mount_setattr(AT_FDCWD, path, AT_RECURSIVE, &attr, sizeof attr) != 0) return errno;
  return 0;
}

void mount_proc(const BoxPlan& plan) noexcept {
  if (!wall_up(Wall::kPidNs)) return;
  // Read-only as a whole: nobody inside has a right to write more than his own processes' names there.
  unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | (wall_up(Wall::kMaskedProc) ? MS_RDONLY : 0);
  if (::mount("proc", "/proc", "proc", flags, nullptr) != 0) die(plan, Step::kProc);
  if (!wall_up(Wall::kMaskedProc)) return;
  // What this kernel does not have needs no mask: ENOENT is fine, anything else is not.
  for (const char* path : kMaskedFiles) {
    if (::mount("/dev/null", path, nullptr, MS_BIND, nullptr) != 0 && errno != ENOENT) die(plan, Step::kMasks);
  }
  for (const char* path : kMaskedFolders) {
    if (::mount("/opt/atoll/hidden", path, nullptr, MS_BIND, nullptr) != 0 && errno != ENOENT) {
      die(plan, Step::kMasks);
    }
  }
}

// One tmpfs with one size for everything that can be written; its sub-folders are bound into place.
void mount_writable(const BoxPlan& plan) noexcept {
  const Limits& limits = plan.request->limits;
  unsigned long long inodes = inode_limit(limits);
  char options[160];
  if (wall_up(Wall::kDiskLimit)) {
    std::snprintf(options, sizeof options, "size=%llu,nr_inodes=%llu,mode=755",
                  static_cast<unsigned long long>(limits.disk_bytes), inodes);
  } else {
    std::snprintf(options, sizeof options, "mode=755");
  }
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV;
  // Mounted over /mnt only until its parts are bound; the bare mount is covered again below.
  int mounted = plan.disk >= 0 ? ::move_mount(plan.disk, "", AT_FDCWD, "/mnt", MOVE_MOUNT_F_EMPTY_PATH)
                               : ::mount("atoll", "/mnt", "tmpfs", kFlags, options);
  if (mounted != 0) die(plan, Step::kTmpfs);
  struct Part {
    const char* source;
    const char* target;
    mode_t mode;
    bool users;
  };
  constexpr Part kParts[] = {{"/mnt/workspace", "/workspace", 0755, true},
                             {"/mnt/tmp", "/tmp", 01777, false},
                             {"/mnt/shm", "/dev/shm", 01777, false}};
  for (const Part& part : kParts) {
    if (::mkdir(part.source, part.mode) != 0) die(plan, Step::kTmpfs);
    if (part.users && ::chown(part.source, plan.user_uid, plan.user_uid) != 0) die(plan, Step::kTmpfs);
    if (::mount(part.source, part.target, nullptr, MS_BIND, nullptr) != 0) die(plan, Step::kTmpfs);
  }
  std::snprintf(options, sizeof options, "newinstance,ptmxmode=0666,mode=620,uid=%u,gid=%u,max=64", plan.user_uid,
                plan.user_uid);
  if (::mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, options) != 0) die(plan, Step::kDevpts);
}

// Missing folders on the way to a mount point are made where the sandbox can be written at all.
int make_mount_point(char* path, bool folder) noexcept {
  for (char* at = path + 1; (at = std::strchr(at, '/')) != nullptr; ++at) {
    *at = '\0';
    int made = ::mkdir(path, 0755);
    int error = errno;
    *at = '/';
    if (made != 0 && error != EEXIST && error != EROFS) return error;
  }
  if (folder ? ::mkdir(path, 0755) == 0 : ::mknod(path, S_IFREG | 0644, 0) == 0) return 0;
  return errno == EEXIST ? 0 : errno;
}

void attach_mounts(const BoxPlan& plan) noexcept {
  for (std::uint32_t i = 0; i < plan.request->mount_count; ++i) {
    char target[kMaxBoxPath];
    std::memcpy(target, plan.request->mounts[i].target.data(), sizeof target);
    struct stat source {};
    if (::fstat(plan.mounts[i], &source) != 0) die(plan, Step::kMount);
    int error = make_mount_point(target, S_ISDIR(source.st_mode));
    if (error != 0) die(plan, Step::kMount, error);
    if (::move_mount(plan.mounts[i], "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) != 0) die(plan, Step::kMount);
  }
}

void apply_rule(const BoxPlan& plan, const PathRule& rule, std::uint32_t index) noexcept {
  const char* path = rule.path.data();
  struct stat info {};
  bool exists = ::stat(path, &info) == 0;
  int error = 0;
  switch (rule.action) {
    case PathAction::kHide:
      if (!exists) return;
      if (::mount(S_ISDIR(info.st_mode) ? "/opt/atoll/hidden" : "/opt/atoll/hidden-file", path, nullptr, MS_BIND,
                  nullptr) != 0) {
        die(plan, Step::kRule);
      }
      return;
    case PathAction::kReadOnly:
      if (!exists) {  // a name that must not appear: an unreadable stand-in holds its place
        char place[kMaxBoxPath];
        std::memcpy(place, path, sizeof place);
        error = make_mount_point(place, false);
        if (error == EROFS) return;
        if (error != 0) die(plan, Step::kRule, error);
        if (::mount("/opt/atoll/hidden-file", path, nullptr, MS_BIND, nullptr) != 0) die(plan, Step::kRule);
      }
      error = bind_read_only(path);
      if (error != 0) die(plan, Step::kRule, error);
      return;
    case PathAction::kWritable: {
      char source[32];
      std::snprintf(source, sizeof source, "/mnt/writable-%u", index);
      if (!exists || !S_ISDIR(info.st_mode)) die(plan, Step::kRule, exists ? ENOTDIR : ENOENT);
      if (::mkdir(source, 0755) != 0 || ::chown(source, plan.user_uid, plan.user_uid) != 0 ||
          ::mount(source, path, nullptr, MS_BIND, nullptr) != 0) {
        die(plan, Step::kRule);
      }
      return;
    }
  }
}

void build_file_system(const BoxPlan& plan) noexcept {
  ::umask(0);
  mount_proc(plan);
  mount_writable(plan);
  attach_mounts(plan);
  for (std::uint32_t i = 0; i < plan.request->rule_count; ++i) apply_rule(plan, plan.request->rules[i], i);
  ::umask(022);
  // The writable tmpfs as a whole must not stay reachable beside its parts.
  if (::mount("/opt/atoll/hidden", "/mnt", nullptr, MS_BIND, nullptr) != 0) die(plan, Step::kTmpfs);
}

// The guest keeps what it needs to start user code as another uid; that code keeps nothing.
constexpr std::uint64_t kGuestCaps = (1ull << CAP_SETUID) | (1ull << CAP_SETGID) | (1ull << CAP_KILL) |
                                     (1ull << CAP_SETPCAP);

int keep_guest_capabilities() noexcept {
  for (unsigned cap = 0; cap < 64; ++cap) {
    if ((kGuestCaps >> cap & 1) == 0 && ::prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0) {
      if (errno == EINVAL) break;  // past the last one that this kernel knows
      return errno;
    }
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  auto caps = static_cast<std::uint32_t>(kGuestCaps);
  __user_cap_data_struct data[2] = {{caps, caps, caps}, {0, 0, 0}};
  if (::syscall(SYS_capset, &header, data) != 0) return errno;
  return 0;
}

void set_identity(const BoxPlan& plan) noexcept {
  unsigned uid = plan.guest_uid;
  if (!plan.rootless && ::setgroups(0, nullptr) != 0) die(plan, Step::kIdentity);
  if (::syscall(SYS_setresgid, uid, uid, uid) != 0) die(plan, Step::kIdentity);
  if (::syscall(SYS_setresuid, uid, uid, uid) != 0) die(plan, Step::kIdentity);
}

void drop_powers(const BoxPlan& plan) noexcept {
  if (wall_up(Wall::kNoCapabilities)) {
    int error = plan.guest_uid != plan.user_uid ? keep_guest_capabilities() : confine::keep_only_capabilities(0);
    if (error != 0) die(plan, Step::kCapabilities, error);
  }
  if (wall_up(Wall::kNoNewPrivs) && confine::set_no_new_privs() != 0) die(plan, Step::kCapabilities);
  if (wall_up(Wall::kSeccomp)) {
    int error = confine::install_seccomp();
    if (error != 0) die(plan, Step::kSeccomp, error);
  }
}

// Puts the guest's descriptors at 3, 4, …; two passes, because a source may stand on a target's number.
void arrange_descriptors(const BoxPlan& plan) noexcept {
  constexpr int kAside = 512;
  int last = static_cast<int>(plan.guest_fd_count);
  if (::dup3(plan.failure, kAside + last, O_CLOEXEC) < 0) die(plan, Step::kExecGuest);
  if (::dup3(plan.guest_program, kAside + last + 1, O_CLOEXEC) < 0) die(plan, Step::kExecGuest);
  for (int i = 0; i < last; ++i) {
    if (::dup3(plan.guest_fds[static_cast<std::size_t>(i)], kAside + i, O_CLOEXEC) < 0) die(plan, Step::kExecGuest);
  }
  for (int i = 0; i < last; ++i) {
    if (::dup2(kAside + i, 3 + i) < 0) die(plan, Step::kExecGuest);
  }
}

}  // namespace

void run_box_child(const BoxPlan& plan) noexcept {
  ::setsid();
  enter_cgroups(plan);
  if (wall_up(Wall::kUtsNs) && ::sethostname(plan.request->hostname.data(), std::strlen(plan.request->hostname.data())) != 0) {
    die(plan, Step::kHostname);
  }
  char byte = 0;
  if (::read(plan.maps_ready, &byte, 1) != 1) die(plan, Step::kMaps, EPIPE);
  // A mapped identity first: what is made from here on must have an owner that exists inside.
  if (wall_up(Wall::kUserNs)) set_identity(plan);
  build_file_system(plan);
  if (!wall_up(Wall::kUserNs)) {
    ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
    set_identity(plan);
  }
  drop_powers(plan);

  arrange_descriptors(plan);
  int last = static_cast<int>(plan.guest_fd_count);
  BoxPlan moved = plan;
  moved.failure = 512 + last;
  UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int fd = 0; fd < 3; ++fd) {
    if (::dup2(null.get(), fd) < 0) die(moved, Step::kExecGuest);
  }
  if (::syscall(SYS_close_range, 3 + last, 511, 0) != 0) die(moved, Step::kExecGuest);
  static const char* const kArgv[] = {"atoll-guest", nullptr};
  ::syscall(SYS_execveat, 512 + last + 1, "", kArgv, confine::guest_environment(), AT_EMPTY_PATH);
  die(moved, Step::kExecGuest);
}

}  // namespace atl::engine
