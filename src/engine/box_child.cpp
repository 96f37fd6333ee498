// Pid 1 of a sandbox, between clone and exec: no allocation, no locks, nothing but system calls on
// what BoxPlan holds. Reviewers read this file twice.
#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/securebits.h>
#include <linux/stat.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>

#include <cstring>

#include "confine/seccomp.hpp"
#include "confine/walls.hpp"
#include "engine/box.hpp"
#include "engine/rootfs.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

using confine::Wall;
using confine::wall_up;

constexpr const char* kHiddenFolder = "/opt/atoll/hidden";
constexpr const char* kHiddenFile = "/opt/atoll/hidden-file";

[[noreturn]] void die(const BoxPlan& plan, Step step, int error = errno) noexcept {
  Failure failure{step, error};
  (void)!::write(plan.failure, &failure, sizeof failure);
  ::_exit(1);
}

void enter_tasks(const BoxPlan& plan, const ControllerFds& tasks) noexcept {
  for (const UniqueFd& fd : tasks) {
    if (fd && ::write(fd.get(), "0", 1) != 1) die(plan, Step::kTasks);
  }
}

// The cgroup namespace is made while standing in the user's leaf: user code sees itself at "/".
void enter_cgroups(const BoxPlan& plan) noexcept {
  enter_tasks(plan, plan.user_tasks);
  if (wall_up(Wall::kCgroupNs) && ::unshare(CLONE_NEWCGROUP) != 0) die(plan, Step::kCgroupNs);
  enter_tasks(plan, plan.guest_tasks);
}

bool bind(const char* source, const char* target, unsigned long flags = 0) noexcept {
  return ::mount(source, target, nullptr, MS_BIND | flags, nullptr) == 0;
}

void mount_proc(const BoxPlan& plan) noexcept {
  if (!wall_up(Wall::kPidNs)) return;
  bool masked = wall_up(Wall::kMaskedProc);
  // Read-only as a whole: nobody inside may write more there than his own processes' names.
  unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | (masked ? MS_RDONLY : 0);
  if (::mount("proc", "/proc", "proc", flags, nullptr) != 0) die(plan, Step::kProc);
  if (!masked) return;
  // What this kernel does not have needs no mask: ENOENT is fine, anything else is not.
  for (const char* path :
       {"/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/latency_stats", "/proc/sched_debug",
        "/proc/kmsg", "/proc/kallsyms", "/proc/key-users", "/proc/sysrq-trigger"}) {
    if (!bind("/dev/null", path) && errno != ENOENT) die(plan, Step::kMasks);
  }
  for (const char* path : {"/proc/acpi", "/proc/scsi", "/proc/asound"}) {
    if (!bind(kHiddenFolder, path) && errno != ENOENT) die(plan, Step::kMasks);
  }
}

bool is_mount_point(const char* path) noexcept {
  struct statx info{};
  return ::syscall(SYS_statx, AT_FDCWD, path, 0, 0, &info) == 0 &&
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

// A folder that something is mounted on cannot be renamed: else its whole path could be moved away
// and made anew. Each folder is bound to itself once.
bool pin_folders_above(const char* path) noexcept {
  char part[kMaxBoxPath] = {};
  std::strncpy(part, path, sizeof part - 1);
  for (char* at = part + 1; (at = std::strchr(at, '/')) != nullptr; ++at) {
    *at = '\0';
    if (!is_mount_point(part) && !bind(part, part, MS_REC)) return false;
    *at = '/';
  }
  return true;
}

bool give_folder(const BoxPlan& plan, const char* path) noexcept {
  return ::mkdir(path, 0755) == 0 && ::chown(path, plan.user_uid, plan.user_uid) == 0;
}

// What nobody inside owns can be replaced, but not appended to: a copy is the user's own.
bool give_file(const BoxPlan& plan, const char* name) noexcept {
  UniqueFd from = open_at(AT_FDCWD, Text("/mnt/root/etc/%s", name).c_str());
  UniqueFd to(::creat(Text("/mnt/upper/etc/%s", name).c_str(), 0644));
  return from && to && ::sendfile(to.get(), from.get(), nullptr, 4096) >= 0 &&
         ::fchown(to.get(), plan.user_uid, plan.user_uid) == 0;
}

// A mount of the present root, at the same place of the next one.
bool bring_mount(const char* path) noexcept {
  return bind(path, Text("/mnt/root%s", path).c_str(), MS_REC);
}
bool bring_mounts(const BoxPlan& plan) noexcept {
  for (const char* path : host_template_sources()) {
    if (plan.request.layer_count == 0 && is_mount_point(path) && !bring_mount(path)) return false;
  }
  return bring_mount("/dev") && bring_mount("/proc") && bring_mount("/opt/atoll") &&
         bind("/mnt", "/mnt/root/mnt");
}

// An overlay of the writable file system over the root. What it lies on comes as a mount of its
// own: of one with others on it, which are locked here, the kernel makes no layer.
bool open_root(const BoxPlan& plan) noexcept {
  constexpr char kLayers[] = "userxattr,lowerdir=/mnt/root,upperdir=/mnt/upper,workdir=/mnt/work";
  if (!give_folder(plan, "/mnt/upper") || ::mkdir("/mnt/work", 0700) != 0 ||
      ::mkdir("/mnt/root", 0700) != 0 || !attach_mount(plan.old_root, "/mnt/root")) {
    return false;
  }
  for (const char* name : {"etc", "opt", "var", "home", "srv"}) {
    struct stat info{};  // an image may have a link or anything else there, which stays
    bool other = ::lstat(Text("/%s", name).c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
    if (!other && !give_folder(plan, Text("/mnt/upper/%s", name).c_str())) return false;
  }
  return give_file(plan, "hosts") && give_file(plan, "resolv.conf") &&
         ::mount("atoll", "/mnt/root", "overlay", MS_NOSUID | MS_NODEV, kLayers) == 0 &&
         bring_mounts(plan) && ::chdir("/mnt/root") == 0 &&
         ::syscall(SYS_pivot_root, ".", ".") == 0 && ::umount2(".", MNT_DETACH) == 0 &&
         ::chdir("/") == 0 && pin_folders_above("/opt/atoll");
}

// A folder of the writable file system for the user, bound over `target`.
bool bind_writable(const BoxPlan& plan, const char* source, const char* target) noexcept {
  return give_folder(plan, source) && bind(source, target);
}

// One file system with one size for all that can be written; its folders are bound into place.
void mount_writable(const BoxPlan& plan) noexcept {
  const Limits& limits = plan.request.limits;
  Text size("mode=755,size=%lu,nr_inodes=%lu", limits.disk_bytes, inode_limit(limits));
  const char* options = wall_up(Wall::kDiskLimit) ? size.c_str() : "mode=755";
  // Mounted over /mnt only until its parts are bound; the bare mount is covered again below.
  bool mounted = plan.disk ? attach_mount(plan.disk, "/mnt")
                           : ::mount("atoll", "/mnt", "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
  if (mounted && plan.request.writable_root != 0 && !open_root(plan))
    die(plan, Step::kWritableRoot);
  if (!mounted || !bind_writable(plan, "/mnt/workspace", "/workspace") ||
      ::mkdir("/mnt/tmp", 01777) != 0 || !bind("/mnt/tmp", "/tmp") ||
      ::mkdir("/mnt/shm", 01777) != 0 || !bind("/mnt/shm", "/dev/shm")) {
    die(plan, Step::kTmpfs);
  }
  unsigned user = plan.user_uid;
  Text terminals("newinstance,ptmxmode=0666,mode=620,uid=%u,gid=%u,max=64", user, user);
  if (::mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, terminals.c_str()) != 0) {
    die(plan, Step::kDevpts);
  }
}

void attach_mounts(const BoxPlan& plan) noexcept {
  for (std::uint32_t i = 0; i < plan.request.mount_count; ++i) {
    const char* target = plan.request.mounts[i].target.data();
    struct stat source{};
    if (::fstat(plan.mounts[i].get(), &source) != 0 ||
        !make_mount_point(target, S_ISDIR(source.st_mode)) ||
        !attach_mount(plan.mounts[i], target)) {
      die(plan, Step::kMount);
    }
  }
}

// Not a link in a folder of the user's own: he could replace it, and a rule would stay behind with
// what it led to. Only where the root is writable has he any when rules are applied.
bool passes_no_own_link(const BoxPlan& plan, const char* path) noexcept {
  char part[kMaxBoxPath] = {};
  struct stat info{.st_uid = plan.user_uid};
  for (std::size_t i = 0; plan.request.writable_root != 0 && (part[i] = path[i]) != '\0'; ++i) {
    if (path[i + 1] != '/' && path[i + 1] != '\0') continue;
    bool own_folder = info.st_uid == plan.user_uid;
    if (::lstat(part, &info) != 0) return true;
    errno = ELOOP;
    if (S_ISLNK(info.st_mode) && own_folder) return false;
    (void)::stat(part, &info);
  }
  return true;
}

// A name that must not appear is held by an unreadable stand-in, as is what can be written through
// a read-only mount (a pipe, a device); where nothing can be written there is no need for one.
bool make_read_only(const BoxPlan& plan, const char* path, bool exists, mode_t mode) noexcept {
  if (!exists && !make_mount_point(path, false)) return errno == EROFS;
  if (!passes_no_own_link(plan, path) || !pin_folders_above(path)) return false;
  bool plain = exists && (S_ISDIR(mode) || S_ISREG(mode));
  if (!plain && !bind(kHiddenFile, path)) return false;
  return bind(path, path, MS_REC) &&
         change_mount(AT_FDCWD, path, {.attr_set = MOUNT_ATTR_RDONLY}, AT_RECURSIVE);
}

bool apply_rule(const BoxPlan& plan, const PathRule& rule, std::uint32_t index) noexcept {
  const char* path = rule.path.data();
  struct stat info{};
  bool exists = ::stat(path, &info) == 0;
  bool folder = S_ISDIR(info.st_mode);
  switch (rule.action) {
    case PathAction::kHide: return !exists || bind(folder ? kHiddenFolder : kHiddenFile, path);
    case PathAction::kReadOnly: return make_read_only(plan, path, exists, info.st_mode);
    case PathAction::kWritable:
      if (exists && !folder) errno = ENOTDIR;
      return folder && bind_writable(plan, Text("/mnt/writable-%u", index).c_str(), path);
  }
  return true;
}

void build_file_system(const BoxPlan& plan) noexcept {
  mount_proc(plan);
  mount_writable(plan);
  attach_mounts(plan);
  for (std::uint32_t i = 0; i < plan.request.rule_count; ++i) {
    if (!apply_rule(plan, plan.request.rules[i], i)) die(plan, Step::kRule);
  }
  // The writable file system as a whole must not stay reachable beside its parts.
  if (!bind(kHiddenFolder, "/mnt")) die(plan, Step::kTmpfs);
}

// The guest keeps what it needs to start user code as another uid; that code keeps nothing.
constexpr std::uint32_t kGuestCaps =
    (1u << CAP_SETUID) | (1u << CAP_SETGID) | (1u << CAP_KILL) | (1u << CAP_SETPCAP);

// Securebits of which none can be cleared again: no uid and no exec gives capabilities back.
constexpr unsigned long kNoWayBack =
    SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
    SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

// Leaves `keep`, of the first 32 capabilities, and no other one in any set.
bool keep_capabilities(std::uint32_t keep) noexcept {
  // The kernel answers EINVAL beyond its last capability, EPERM without CAP_SETPCAP. Where nothing
  // is kept the bounding set may stay then: no_new_privs sees to it that it gives nothing.
  for (unsigned cap = 0; cap < 64; ++cap) {
    if (cap < 32 && (keep >> cap & 1) != 0) continue;
    if (::prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0) continue;
    if (errno == EINVAL || (errno == EPERM && keep == 0)) break;
    return false;
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {{keep, keep, keep}, {0, 0, 0}};
  return ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 &&
         ::syscall(SYS_capset, &header, sets) == 0;
}

void set_identity(const BoxPlan& plan) noexcept {
  unsigned uid = plan.guest_uid;
  if ((!plan.rootless && ::setgroups(0, nullptr) != 0) ||
      ::syscall(SYS_setresgid, uid, uid, uid) != 0 ||
      ::syscall(SYS_setresuid, uid, uid, uid) != 0) {
    die(plan, Step::kIdentity);
  }
}

void drop_powers(const BoxPlan& plan) noexcept {
  std::uint32_t keep = plan.guest_uid != plan.user_uid ? kGuestCaps : 0;
  if (wall_up(Wall::kNoCapabilities)) {
    // Where the guest changes uids for its children, they lock these themselves.
    bool locked = keep != 0 || ::prctl(PR_SET_SECUREBITS, kNoWayBack, 0, 0, 0) == 0;
    if (!locked || !keep_capabilities(keep)) die(plan, Step::kCapabilities);
  }
  if (wall_up(Wall::kNoNewPrivs) && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    die(plan, Step::kCapabilities);
  }
  if (wall_up(Wall::kSeccomp)) {
    if (int error = confine::install_seccomp(); error != 0) die(plan, Step::kSeccomp, error);
  }
}

// A launcher that died says no more.
void await_launcher(const BoxPlan& plan) noexcept {
  char byte = 0;
  if (::read(plan.go_ahead.get(), &byte, 1) != 1) die(plan, Step::kMaps, EPIPE);
}

// A sandbox that nobody can come back to must not outlive its launcher. If that died before it was
// asked, it has left its end of the pipe.
void die_with_launcher(const BoxPlan& plan) noexcept {
  pollfd pipe{plan.go_ahead.get(), 0, 0};
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || ::poll(&pipe, 1, 0) != 0) ::_exit(1);
}

// A copy of `fd` above all numbers that the guest gets.
int move_aside(const BoxPlan& plan, int fd) noexcept {
  int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 512);
  if (copy < 0) die(plan, Step::kExecGuest);
  return copy;
}

// Gives the guest its descriptors (guest/start.hpp), /dev/null as 0 to 2, and nothing else. All are
// moved aside first, because a source may stand on a target's number.
void arrange_descriptors(BoxPlan& plan) noexcept {
  std::array<int, kControllerCount + 4> sources{};
  std::size_t count = 0;
  auto add = [&](int fd) { sources[count++] = move_aside(plan, fd); };
  add(plan.config.get());
  add(plan.socket.get());
  for (const UniqueFd& tasks : plan.user_tasks) {
    if (tasks) add(tasks.get());
  }
  if (plan.zygote) add(plan.zygote.guest_end.get());
  add(plan.slot_lock);
  plan.guest_program = move_aside(plan, plan.guest_program);
  plan.failure = move_aside(plan, plan.failure);

  int next = guest::kConfigFd;
  for (std::size_t i = 0; i < count; ++i) {
    if (::dup2(sources[i], next++) < 0) die(plan, Step::kExecGuest);
  }
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < guest::kConfigFd; ++fd) {
    if (::dup2(null, fd) < 0) die(plan, Step::kExecGuest);
  }
  if (::syscall(SYS_close_range, next, ~0u, CLOSE_RANGE_CLOEXEC) != 0) die(plan, Step::kExecGuest);
}

}  // namespace

void run_box_child(BoxPlan& plan) noexcept {
  ::setsid();
  ::close(plan.go_ahead_write);
  enter_cgroups(plan);
  const char* hostname = plan.request.hostname.data();
  if (wall_up(Wall::kUtsNs) && ::sethostname(hostname, std::strlen(hostname)) != 0) {
    die(plan, Step::kHostname);
  }
  await_launcher(plan);
  // A mapped identity first: what is made from here on must have an owner that exists inside.
  if (plan.zygote && !raise_loopback()) die(plan, Step::kNetwork);
  if (wall_up(Wall::kUserNs)) set_identity(plan);
  build_file_system(plan);
  if (!wall_up(Wall::kUserNs)) {
    ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
    set_identity(plan);
  }
  drop_powers(plan);
  await_launcher(plan);
  if (plan.once) die_with_launcher(plan);
  arrange_descriptors(plan);
  ::umask(022);
  static const char* const kArgv[] = {"atoll-guest", nullptr};
  const char* const* environment = confine::guest_environment();
  ::syscall(SYS_execveat, plan.guest_program, "", kArgv, environment, AT_EMPTY_PATH);
  die(plan, Step::kExecGuest);
}

}  // namespace atl::engine
