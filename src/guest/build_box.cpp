#include "guest/build_box.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <linux/stat.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "confine/capabilities.hpp"
#include "confine/mounts.hpp"
#include "confine/text.hpp"
#include "confine/walls.hpp"
#include "guest/host_places.hpp"

namespace atl::guest {
namespace {

using confine::attach_mount;
using confine::change_mount;
using confine::make_mount_point;
using confine::open_at;
using confine::Text;
using confine::Wall;
using confine::wall_up;

constexpr const char* kHiddenFolder = "/opt/atoll/hidden";
constexpr const char* kHiddenFile = "/opt/atoll/hidden-file";

// What it is built from.
struct Room {
  BoxStart start;
  unsigned user_uid = 0;
  int failure = -1;   // a StartFailure goes here, or nothing
  int go_ahead = -1;  // a byte of the launcher's: the box is on record
  int first_mount = -1, old_root = -1, disk = -1;
};

[[noreturn]] void die(const Room& room, Step step, int error = errno) noexcept {
  StartFailure failure{step, error};
  (void)!::write(room.failure, &failure, sizeof failure);
  ::_exit(1);
}

bool bind(const char* source, const char* target, unsigned long flags = 0) noexcept {
  return ::mount(source, target, nullptr, MS_BIND | flags, nullptr) == 0;
}

// Over the new /proc, which was mounted before exec.
void mask_proc(const Room& room) noexcept {
  if (!wall_up(Wall::kPidNs) || !wall_up(Wall::kMaskedProc)) return;
  // What this kernel does not have needs no mask: ENOENT is fine, anything else is not.
  for (const char* path :
       {"/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/latency_stats", "/proc/sched_debug",
        "/proc/kmsg", "/proc/kallsyms", "/proc/key-users", "/proc/sysrq-trigger"}) {
    if (!bind("/dev/null", path) && errno != ENOENT) die(room, Step::kProc);
  }
  for (const char* path : {"/proc/acpi", "/proc/scsi", "/proc/asound"}) {
    if (!bind(kHiddenFolder, path) && errno != ENOENT) die(room, Step::kProc);
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

bool give_folder(const Room& room, const char* path) noexcept {
  return ::mkdir(path, 0755) == 0 && ::chown(path, room.user_uid, room.user_uid) == 0;
}

// What nobody inside owns can be replaced, but not appended to: a copy is the user's own.
bool give_file(const Room& room, const char* name) noexcept {
  UniqueFd from = open_at(AT_FDCWD, Text("/mnt/root/etc/%s", name).c_str());
  UniqueFd to(::creat(Text("/mnt/upper/etc/%s", name).c_str(), 0644));
  return from && to && ::sendfile(to.get(), from.get(), nullptr, 4096) >= 0 &&
         ::fchown(to.get(), room.user_uid, room.user_uid) == 0;
}

// A mount of the present root, at the same place of the next one.
bool bring_mount(const char* path) noexcept {
  return bind(path, Text("/mnt/root%s", path).c_str(), MS_REC);
}
bool bring_mounts(const Room& room) noexcept {
  for (const char* path : kHostPlaces) {
    if (room.start.image == 0 && is_mount_point(path) && !bring_mount(path)) return false;
  }
  return bring_mount("/dev") && bring_mount("/proc") && bring_mount("/opt/atoll") &&
         bind("/mnt", "/mnt/root/mnt");
}

// An overlay of the writable file system over the root. What it lies on comes as a mount of its
// own: of one with others on it, which are locked here, the kernel makes no layer.
bool open_root(const Room& room) noexcept {
  constexpr char kLayers[] = "userxattr,lowerdir=/mnt/root,upperdir=/mnt/upper,workdir=/mnt/work";
  if (!give_folder(room, "/mnt/upper") || ::mkdir("/mnt/work", 0700) != 0 ||
      ::mkdir("/mnt/root", 0700) != 0 || !attach_mount(room.old_root, "/mnt/root")) {
    return false;
  }
  for (const char* name : {"etc", "opt", "var", "home", "srv"}) {
    struct stat info{};  // an image may have a link or anything else there, which stays
    bool other = ::lstat(Text("/%s", name).c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
    if (!other && !give_folder(room, Text("/mnt/upper/%s", name).c_str())) return false;
  }
  return give_file(room, "hosts") && give_file(room, "resolv.conf") &&
         ::mount("atoll", "/mnt/root", "overlay", MS_NOSUID | MS_NODEV, kLayers) == 0 &&
         bring_mounts(room) && ::chdir("/mnt/root") == 0 &&
         ::syscall(SYS_pivot_root, ".", ".") == 0 && ::umount2(".", MNT_DETACH) == 0 &&
         ::chdir("/") == 0 && pin_folders_above("/opt/atoll");
}

// The root's /etc/hosts knows the usual name. Where the root is writable, the file is the user's
// own.
bool add_hostname(const Room& room) noexcept {
  const char* name = room.start.hostname.data();
  if (std::strcmp(name, "atoll") == 0) return true;
  bool own = room.start.writable_root != 0;
  UniqueFd from = open_at(AT_FDCWD, "/etc/hosts");
  UniqueFd to = own ? open_at(AT_FDCWD, "/etc/hosts", O_WRONLY | O_APPEND)
                    : UniqueFd(::creat("/mnt/hosts", 0644));
  Text line("127.0.0.1 %s\n", name);
  std::size_t size = std::strlen(line.c_str());
  return from && to && (own || ::sendfile(to.get(), from.get(), nullptr, 4096) >= 0) &&
         ::write(to.get(), line.c_str(), size) == static_cast<ssize_t>(size) &&
         (own || bind("/mnt/hosts", "/etc/hosts"));
}

// A folder of the writable file system for the user, bound over `target`.
bool bind_writable(const Room& room, const char* source, const char* target) noexcept {
  return give_folder(room, source) && bind(source, target);
}

// One file system with one size for all that can be written; its folders are bound into place.
void mount_writable(const Room& room) noexcept {
  Text size("mode=755,size=%lu,nr_inodes=%lu", room.start.disk_bytes, room.start.inodes);
  const char* options = wall_up(Wall::kDiskLimit) ? size.c_str() : "mode=755";
  // Mounted over /mnt only until its parts are bound; the bare mount is covered again below.
  bool mounted = room.disk >= 0
                     ? attach_mount(room.disk, "/mnt")
                     : ::mount("atoll", "/mnt", "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
  if (mounted && room.start.writable_root != 0 && !open_root(room)) die(room, Step::kWritableRoot);
  if (mounted && !add_hostname(room)) die(room, Step::kHostname);
  if (!mounted || !bind_writable(room, "/mnt/workspace", "/workspace") ||
      ::mkdir("/mnt/tmp", 01777) != 0 || !bind("/mnt/tmp", "/tmp") ||
      ::mkdir("/mnt/shm", 01777) != 0 || !bind("/mnt/shm", "/dev/shm")) {
    die(room, Step::kTmpfs);
  }
  unsigned user = room.user_uid;
  Text terminals("newinstance,ptmxmode=0666,mode=620,uid=%u,gid=%u,max=64", user, user);
  if (::mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, terminals.c_str()) != 0) {
    die(room, Step::kTmpfs);
  }
}

void attach_mounts(const Room& room) noexcept {
  for (std::uint8_t i = 0; i < room.start.mount_count; ++i) {
    const char* target = room.start.mounts[i].data();
    struct stat source{};
    if (::fstat(room.first_mount + i, &source) != 0 ||
        !make_mount_point(target, S_ISDIR(source.st_mode)) ||
        !attach_mount(room.first_mount + i, target)) {
      die(room, Step::kMount);
    }
  }
}

// Not a link in a folder of the user's own: he could replace it, and a rule would stay behind with
// what it led to. Only where the root is writable has he any when rules are applied.
bool passes_no_own_link(const Room& room, const char* path) noexcept {
  char part[kMaxBoxPath] = {};
  struct stat info{.st_uid = room.user_uid};
  for (std::size_t i = 0; room.start.writable_root != 0 && (part[i] = path[i]) != '\0'; ++i) {
    if (path[i + 1] != '/' && path[i + 1] != '\0') continue;
    bool own_folder = info.st_uid == room.user_uid;
    if (::lstat(part, &info) != 0) return true;
    errno = ELOOP;
    if (S_ISLNK(info.st_mode) && own_folder) return false;
    (void)::stat(part, &info);
  }
  return true;
}

// A name that must not appear is held by an unreadable stand-in, as is what can be written through
// a read-only mount (a pipe, a device); where nothing can be written there is no need for one.
bool make_read_only(const Room& room, const char* path, bool exists, mode_t mode) noexcept {
  if (!exists && !make_mount_point(path, false)) return errno == EROFS;
  if (!passes_no_own_link(room, path) || !pin_folders_above(path)) return false;
  bool plain = exists && (S_ISDIR(mode) || S_ISREG(mode));
  if (!plain && !bind(kHiddenFile, path)) return false;
  return bind(path, path, MS_REC) &&
         change_mount(AT_FDCWD, path, {.attr_set = MOUNT_ATTR_RDONLY}, AT_RECURSIVE);
}

bool apply_rule(const Room& room, const PathRule& rule, std::uint32_t index) noexcept {
  const char* path = rule.path.data();
  struct stat info{};
  bool exists = ::stat(path, &info) == 0;
  bool folder = S_ISDIR(info.st_mode);
  switch (rule.action) {
    case PathAction::kHide: return !exists || bind(folder ? kHiddenFolder : kHiddenFile, path);
    case PathAction::kReadOnly: return make_read_only(room, path, exists, info.st_mode);
    case PathAction::kWritable:
      if (exists && !folder) errno = ENOTDIR;
      return folder && bind_writable(room, Text("/mnt/writable-%u", index).c_str(), path);
  }
  return true;
}

void build_file_system(const Room& room) noexcept {
  mask_proc(room);
  mount_writable(room);
  attach_mounts(room);
  for (std::uint32_t i = 0; i < room.start.rule_count; ++i) {
    if (!apply_rule(room, room.start.rules[i], i)) die(room, Step::kRule);
  }
  // The writable file system as a whole must not stay reachable beside its parts.
  if (!bind(kHiddenFolder, "/mnt")) die(room, Step::kTmpfs);
}

// The guest keeps what it needs to start user code as another uid; that code keeps nothing.
constexpr std::uint32_t kGuestCaps =
    (1u << CAP_SETUID) | (1u << CAP_SETGID) | (1u << CAP_KILL) | (1u << CAP_SETPCAP);

// Where there is no user namespace, the identity comes after what root has to build.
void set_identity(const Room& room) noexcept {
  unsigned uid = room.start.guest_uid;
  ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
  if (::setgroups(0, nullptr) != 0 || ::syscall(SYS_setresgid, uid, uid, uid) != 0 ||
      ::syscall(SYS_setresuid, uid, uid, uid) != 0) {
    die(room, Step::kIdentity);
  }
}

void drop_powers(const Room& room) noexcept {
  bool keeps = room.start.guest_uid != room.user_uid;
  if (wall_up(Wall::kNoCapabilities)) {
    // Where the guest changes uids for its children, they lock these themselves.
    int error = keeps ? 0 : confine::lock_securebits();
    if (error == 0) error = confine::keep_only_capabilities(keeps ? kGuestCaps : 0, keeps);
    if (error != 0) die(room, Step::kCapabilities, error);
  }
  if (wall_up(Wall::kNoNewPrivs) && confine::set_no_new_privs() != 0) {
    die(room, Step::kCapabilities);
  }
}

// A sandbox that nobody can come back to must not outlive its launcher. If that died before it was
// asked, it has left its end of the pipe.
void die_with_launcher(const Room& room) noexcept {
  pollfd pipe{room.go_ahead, 0, 0};
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || ::poll(&pipe, 1, 0) != 0) ::_exit(1);
}

}  // namespace

void build_box(const GuestConfig& config, int fd) {
  Room room;
  room.user_uid = config.user_uid;
  ssize_t size = ::read(kConfigFd, &room.start, sizeof room.start);
  bool whole = size > 0 && static_cast<std::size_t>(size) == room.start.size();
  room.failure = fd;
  room.go_ahead = room.failure + 1;
  room.first_mount = room.go_ahead + 1;
  int next = room.first_mount + room.start.mount_count;
  if (room.start.has_disk != 0) room.disk = next++;
  if (room.start.writable_root != 0) room.old_root = next++;
  if (!whole) ::_exit(1);
  const char* hostname = room.start.hostname.data();
  if (wall_up(Wall::kUtsNs) && ::sethostname(hostname, std::strlen(hostname)) != 0) {
    die(room, Step::kHostname);
  }
  build_file_system(room);
  if (!wall_up(Wall::kUserNs)) set_identity(room);
  drop_powers(room);
  char byte = 0;
  if (::read(room.go_ahead, &byte, 1) != 1) die(room, Step::kMaps, EPIPE);
  if (room.start.dies_with_launcher != 0) die_with_launcher(room);
  // Closing the pipe says that all is done.
  ::syscall(SYS_close_range, fd, next - 1, 0);
}

}  // namespace atl::guest
