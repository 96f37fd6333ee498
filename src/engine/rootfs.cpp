#include "engine/rootfs.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include <array>

#include "confine/walls.hpp"
#include "engine/mount_calls.hpp"
#include "guest/host_places.hpp"

namespace atl::engine {
namespace {

constexpr std::pair<const char*, std::string_view> kFiles[] = {
    {"etc/passwd",
     "root:x:0:0:guest:/:/usr/sbin/nologin\nuser:x:1000:1000:user:/workspace:/bin/bash\n"
     "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
    {"etc/group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"},
    {"etc/hosts", "127.0.0.1 localhost atoll\n::1 localhost ip6-localhost\n"},
    {"etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
    {"etc/resolv.conf", "nameserver 198.18.0.53\n"},  // egress answers, if it is there
    {"opt/atoll/lib/enter.so", ""},                   // where a zygote finds it
};

constexpr std::array kFolders{
    "etc",           "etc/ssl",   "dev", "dev/pts",   "dev/shm",       "proc",
    "tmp",           "workspace", "opt", "opt/atoll", "opt/atoll/bin", "opt/atoll/hidden",
    "opt/atoll/lib", "var",       "run", "home",      "mnt",
};

constexpr std::pair<const char*, const char*> kLinks[] = {
    {"/proc/self/fd", "dev/fd"},
    {"/proc/self/fd/0", "dev/stdin"},
    {"/proc/self/fd/1", "dev/stdout"},
    {"/proc/self/fd/2", "dev/stderr"},
    {"pts/ptmx", "dev/ptmx"},
    {"../usr/lib/os-release", "etc/os-release"},
    {"/run", "var/run"},
    {"/proc/self/mounts", "etc/mtab"},
    {"/usr/bin/python3", "opt/atoll/bin/python"},
    {"/tmp", "var/tmp"}};

constexpr std::uint64_t kReadOnly = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

// Binds the host's `path` (relative to /) at the same place below the current folder.
bool bind_from_host(const char* path, std::uint64_t attributes) {
  UniqueFd tree = clone_mount(AT_FDCWD, Text("/%s", path).c_str(), AT_RECURSIVE);
  return tree && change_mount(tree.get(), "", {.attr_set = attributes}, AT_RECURSIVE) &&
         attach_mount(tree, path);
}

// /bin, /lib and so on are links into /usr on a merged host, and folders of their own elsewhere.
bool add_system_folders() {
  for (const char* source : std::span(guest::kHostPlaces).first(guest::kHostFolders)) {
    const char* name = source + 1;
    char target[64] = {};
    if (::readlink(source, target, sizeof target - 1) > 0) {
      if (::symlink(target, name) != 0) return false;
    } else if (errno == EINVAL) {
      if (::mkdir(name, 0755) != 0 || !bind_from_host(name, kReadOnly)) return false;
    }
  }
  return true;
}

bool add_etc() {
  for (auto [path, content] : kFiles) {
    if (!write_file(AT_FDCWD, path, content, O_WRONLY | O_CREAT | O_EXCL, 0644)) return false;
  }
  for (const char* source : std::span(guest::kHostPlaces).subspan(guest::kHostFolders)) {
    struct stat info{};
    if (::stat(source, &info) != 0) continue;
    const char* path = source + 1;
    int made = S_ISDIR(info.st_mode) ? ::mkdir(path, 0755) : ::mknod(path, S_IFREG | 0644, 0);
    if (made != 0 || !bind_from_host(path, kReadOnly)) return false;
  }
  return true;
}

bool add_devices(bool rootless) {
  const std::pair<const char*, dev_t> devices[] = {
      {"dev/null", makedev(1, 3)},   {"dev/zero", makedev(1, 5)},    {"dev/full", makedev(1, 7)},
      {"dev/random", makedev(1, 8)}, {"dev/urandom", makedev(1, 9)}, {"dev/tty", makedev(5, 0)}};
  for (auto [path, number] : devices) {
    if (::mknod(path, (rootless ? S_IFREG : S_IFCHR) | 0666, number) != 0) return false;
    if (rootless && !bind_from_host(path, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)) return false;
  }
  for (auto [target, link] : kLinks) {
    if (::symlink(target, link) != 0) return false;
  }
  // What a hidden path turns into (guest/build_box.cpp).
  return ::mknod("opt/atoll/hidden-file", S_IFREG, 0) == 0 && ::chmod("opt/atoll/hidden", 0) == 0;
}

// The host's, which has to be there for a sandbox to mount its own over it. That one is gone before
// the last process that can look here: a zygote may keep the root of a sandbox that has ended. So
// it shows nobody's processes to those who have no power over them.
bool add_proc(bool rootless) {
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  bool hidden = !rootless && confine::wall_up(confine::Wall::kPidNs);
  if (hidden && ::mount("proc", "proc", "proc", kFlags, "hidepid=invisible") == 0) return true;
  // Where the host's own proc is masked, as in a container, the kernel refuses a new one. Any other
  // failure is no reason to show more.
  bool refused = !hidden || errno == EPERM;
  return refused &&
         bind_from_host("proc", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

// In the current folder, which is the new root.
bool fill_root(bool rootless) {
  for (const char* folder : kFolders) {
    if (::mkdir(folder, 0755) != 0) return false;
  }
  return add_system_folders() && add_etc() && add_devices(rootless) && add_proc(rootless);
}

}  // namespace

Outcome<UniqueFd> build_host_template(bool rootless, std::span<const MountPoint> points) {
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("atoll", "/tmp", "tmpfs", MS_NOSUID, "size=1m,nr_inodes=256,mode=755") != 0 ||
      ::chdir("/tmp") != 0 || !fill_root(rootless)) {
    return failed(Step::kTemplate);
  }
  // pivot_root onto itself stacks the old root on the new one, which is then detached.
  if (::syscall(SYS_pivot_root, ".", ".") != 0 || ::umount2(".", MNT_DETACH) != 0 ||
      ::chdir("/") != 0) {
    return failed(Step::kTemplate);
  }
  // Not before: links on the way, the host's among them, would lead into the host's root.
  for (const MountPoint& point : points) {
    // Below the host's folders a place must exist already: those are read-only.
    if (!make_mount_point(point.path, point.folder)) return failed(Step::kMount);
  }
  bool closed = confine::wall_up(confine::Wall::kReadOnlyRoot)
                    ? change_mount(AT_FDCWD, "/", {.attr_set = MOUNT_ATTR_RDONLY})
                    : ::chmod("/", 0777) == 0;
  UniqueFd self(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
  if (!closed || !self) return failed(Step::kTemplate);
  return self;
}

}  // namespace atl::engine
