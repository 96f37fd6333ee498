#include "engine/rootfs.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "confine/walls.hpp"

namespace atl::engine {
namespace {

using confine::Wall;

struct Text {
  const char* path;
  std::string_view content;
};
constexpr Text kTexts[] = {
    {"etc/passwd", "root:x:0:0:guest:/:/usr/sbin/nologin\nuser:x:1000:1000:user:/workspace:/bin/bash\n"
                   "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
    {"etc/group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"},
    {"etc/hosts", "127.0.0.1 localhost\n::1 localhost ip6-localhost\n"},
    {"etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
    {"etc/resolv.conf", ""},
};

// Parts of the host's /etc that programs cannot do without and that hold no secrets.
constexpr const char* kEtcBinds[] = {"/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl/certs",
                                     "/etc/ssl/openssl.cnf", "/etc/localtime", "/etc/mime.types",
                                     "/etc/fonts", "/etc/java-17-openjdk"};

constexpr const char* kFolders[] = {"usr", "etc", "etc/ssl", "dev", "dev/pts", "dev/shm", "proc", "tmp",
                                    "workspace", "opt", "opt/atoll", "opt/atoll/bin", "opt/atoll/hidden", "var", "run", "home", "mnt"};

struct Device {
  const char* path;
  unsigned minor;
  unsigned major;
};
constexpr Device kDevices[] = {{"dev/null", 3, 1},   {"dev/zero", 5, 1},    {"dev/full", 7, 1},
                               {"dev/random", 8, 1}, {"dev/urandom", 9, 1}, {"dev/tty", 0, 5}};
constexpr std::pair<const char*, const char*> kLinks[] = {
    {"/proc/self/fd", "dev/fd"},        {"/proc/self/fd/0", "dev/stdin"}, {"/proc/self/fd/1", "dev/stdout"},
    {"/proc/self/fd/2", "dev/stderr"},  {"pts/ptmx", "dev/ptmx"},         {"/proc/self/mounts", "etc/mtab"},
    {"/usr/bin/python3", "opt/atoll/bin/python"}, {"/tmp", "var/tmp"}};

// Binds the host's `path` (relative to /) at the same place below the current folder.
Result<void> bind_from_host(const char* path, std::uint64_t attributes) {
  char source[128] = "/";
  std::strncat(source, path, sizeof source - 2);
  UniqueFd tree(::open_tree(AT_FDCWD, source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
  if (!tree) return fail_errno("open_tree");
  mount_attr attr{.attr_set = attributes, .attr_clr = 0, .propagation = 0, .userns_fd = 0};
  if (::mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr) != 0) {
    return fail_errno("mount_setattr");
  }
  if (::move_mount(tree.get(), "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) != 0) return fail_errno("move_mount");
  return {};
}

constexpr std::uint64_t kReadOnly = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

Result<void> write_text(const Text& text) {
  UniqueFd fd(::open(text.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd || ::write(fd.get(), text.content.data(), text.content.size()) < 0) return fail_errno("write /etc");
  return {};
}

// /bin, /lib and so on are links into /usr on a merged host, and folders of their own elsewhere.
Result<void> add_system_folders() {
  ATOLL_CHECK(bind_from_host("usr", kReadOnly));
  for (const char* name : {"bin", "sbin", "lib", "lib32", "lib64", "libx32"}) {
    char source[16] = "/";
    std::strcat(source, name);
    char target[64] = {};
    ssize_t size = ::readlink(source, target, sizeof target - 1);
    if (size > 0) {
      if (::symlink(target, name) != 0) return fail_errno("symlink");
    } else if (errno == EINVAL) {
      if (::mkdir(name, 0755) != 0) return fail_errno("mkdir");
      ATOLL_CHECK(bind_from_host(name, kReadOnly));
    }
  }
  return {};
}

Result<void> add_etc() {
  for (const Text& text : kTexts) ATOLL_CHECK(write_text(text));
  for (const char* source : kEtcBinds) {
    struct stat info {};
    if (::stat(source, &info) != 0) continue;
    const char* path = source + 1;
    int made = S_ISDIR(info.st_mode) ? ::mkdir(path, 0755) : ::mknod(path, S_IFREG | 0644, 0);
    if (made != 0) return fail_errno("make place in /etc");
    ATOLL_CHECK(bind_from_host(path, kReadOnly));
  }
  return {};
}

Result<void> add_devices(bool rootless) {
  for (const Device& device : kDevices) {
    mode_t kind = rootless ? S_IFREG : S_IFCHR;
    if (::mknod(device.path, kind | 0666, makedev(device.major, device.minor)) != 0) return fail_errno("mknod");
    if (rootless) ATOLL_CHECK(bind_from_host(device.path, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  }
  for (auto [target, link] : kLinks) {
    if (::symlink(target, link) != 0) return fail_errno("symlink");
  }
  // What a hidden path turns into (box_child.cpp).
  if (::mknod("opt/atoll/hidden-file", S_IFREG, 0) != 0 || ::chmod("opt/atoll/hidden", 0) != 0) {
    return fail_errno("make hidden places");
  }
  return {};
}

// Below the host's folders a place must exist already: those are read-only.
Result<void> add_mount_point(const MountPoint& point) {
  char path[256] = {};
  std::strncpy(path, point.path + 1, sizeof path - 1);
  for (char* at = path; (at = std::strchr(at, '/')) != nullptr; ++at) {
    *at = '\0';
    if (::mkdir(path, 0755) != 0 && errno != EEXIST) return fail_errno("mkdir mount point");
    *at = '/';
  }
  int made = point.folder ? ::mkdir(path, 0755) : ::mknod(path, S_IFREG | 0644, 0);
  if (made != 0 && errno != EEXIST) return fail_errno("make mount point");
  return {};
}

}  // namespace

std::span<const char* const> host_template_sources() { return kEtcBinds; }

Result<UniqueFd> build_host_template(bool rootless, std::span<const MountPoint> points) {
  if (::unshare(CLONE_NEWNS) != 0) return fail_errno("unshare mounts");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return fail_errno("make mounts private");
  mode_t old_mask = ::umask(0);
  if (::mount("atoll", "/tmp", "tmpfs", MS_NOSUID, "size=1m,nr_inodes=256,mode=755") != 0) {
    return fail_errno("mount root");
  }
  if (::chdir("/tmp") != 0) return fail_errno("chdir");
  for (const char* folder : kFolders) {
    if (::mkdir(folder, 0755) != 0) return fail_errno("mkdir");
  }
  ATOLL_CHECK(add_system_folders());
  ATOLL_CHECK(add_etc());
  ATOLL_CHECK(add_devices(rootless));
  for (const MountPoint& point : points) ATOLL_CHECK(add_mount_point(point));
  ATOLL_CHECK(bind_from_host("proc", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  ::umask(old_mask);
  if (confine::wall_up(Wall::kReadOnlyRoot)) {
    mount_attr attr{.attr_set = MOUNT_ATTR_RDONLY, .attr_clr = 0, .propagation = 0, .userns_fd = 0};
    if (::mount_setattr(AT_FDCWD, ".", 0, &attr, sizeof attr) != 0) return fail_errno("make root read-only");
  } else if (::chmod(".", 0777) != 0) {
    return fail_errno("open root");
  }
  // pivot_root onto itself stacks the old root on the new one, which is then detached.
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return fail_errno("pivot_root");
  if (::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0) return fail_errno("detach old root");
  UniqueFd self(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
  if (!self) return fail_errno("open mount namespace");
  return self;
}

}  // namespace atl::engine
