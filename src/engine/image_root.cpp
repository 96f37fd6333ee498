#include "engine/image_root.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <sched.h>
#include <sys/syscall.h>

#include <array>
#include <string>

#include "engine/mounts.hpp"

namespace atl::engine {
namespace {

using Trees = std::array<UniqueFd, kMaxLayers>;

// 0: not known.
std::uint64_t mount_of(const UniqueFd& folder, const char* path) {
  struct statx info{};
  constexpr int kFlags = AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW;
  bool known = ::syscall(SYS_statx, folder.get(), path, kFlags, STATX_MNT_ID, &info) == 0 &&
               (info.stx_mask & STATX_MNT_ID) != 0;
  return known ? info.stx_mnt_id : 0;
}

// Only root fills the store, so its files may show their owners; of any other folder that a caller
// can open they would make root's secrets the guest's own. The store, the layer and its tree are on
// one mount: a caller with a user namespace can put mounts of its own over folders of the store,
// and since Linux 6.15 a detached tree of such mounts can be cloned from here.
bool is_stored(const UniqueFd& disks, const UniqueFd& layer) {
  struct stat store{}, above{};
  std::uint64_t mount = mount_of(disks, "images/layers");
  return mount != 0 && mount == mount_of(layer, "") && mount == mount_of(layer, "tree") &&
         ::fstatat(disks.get(), "images/layers", &store, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstatat(layer.get(), "..", &above, 0) == 0 && store.st_ino == above.st_ino &&
         store.st_dev == above.st_dev;
}

// A detached mount of a layer.
Outcome<UniqueFd> clone_layer(const ImageGround& ground, const UniqueFd& layer) {
  UniqueFd tree;
  if (!ground.rootless) {
    if (!is_stored(ground.disks, layer)) return failed(Step::kImage, EACCES);
    tree = clone_mount(layer.get(), "tree");
  } else {  // as lend_mount() does it
    tree = clone_mount(AT_FDCWD, (path_of(layer) + "/tree").c_str());
  }
  mount_attr attr = ground.owners ? show_owners(ground.owners) : mount_attr{};
  attr.attr_set |= MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  attr.propagation = MS_PRIVATE;
  if (!tree || !change_mount(tree.get(), "", attr)) return failed(Step::kImage);
  return tree;
}

// A mount point shadows what the image has there; were a link on the way, it would shadow that.
bool passes_no_link(const UniqueFd& tree, const char* path) {
  open_how how{.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
               .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
  UniqueFd found(static_cast<int>(::syscall(SYS_openat2, tree.get(), path, &how, sizeof how)));
  return found || errno == ENOENT || errno == ENOTDIR;
}

// From the template's /etc, which the caller sees as /etc.
bool copy_etc(std::initializer_list<const char*> names) {
  if (!make_folder(AT_FDCWD, "etc", 0755)) return false;
  for (const char* name : names) {
    std::string text = read_file(AT_FDCWD, Text("/etc/%s", name).c_str());
    if (!write_file(AT_FDCWD, Text("etc/%s", name).c_str(), text, O_WRONLY | O_CREAT, 0644)) {
      return false;
    }
  }
  return true;
}

// What lies over the image, in the current folder.
bool fill_upper(std::span<const MountPoint> points) {
  for (const char* folder : {"dev", "proc", "tmp", "workspace", "mnt", "opt", "opt/atoll"}) {
    if (::mkdir(folder, 0755) != 0) return false;
  }
  for (const MountPoint& point : points) {
    if (!make_mount_point(point.path + 1, point.folder)) return false;
  }
  return copy_etc({"hosts", "resolv.conf"});
}

// In the current folder, an empty tmpfs.
bool mount_overlay(std::span<const UniqueFd> trees, std::span<const MountPoint> points) {
  for (const char* folder : {"upper", "lower", "root"}) {
    if (::mkdir(folder, 0755) != 0) return false;
  }
  std::string options = "userxattr,lowerdir=upper";
  for (std::size_t i = trees.size(); i-- > 0;) {  // an overlay names the uppermost first
    Text name("%zu", i);
    if (::mkdir(name.c_str(), 0755) != 0 || !attach_mount(trees[i], name.c_str())) return false;
    options += ":";
    options += name.c_str();
  }
  options += ":lower";
  constexpr unsigned long kFlags = MS_RDONLY | MS_NOSUID | MS_NODEV;
  return ::chdir("upper") == 0 && fill_upper(points) && ::chdir("../lower") == 0 &&
         copy_etc({"passwd", "group", "nsswitch.conf"}) && ::chdir("..") == 0 &&
         ::mount("atoll", "root", "overlay", kFlags, options.c_str()) == 0;
}

bool bring_from_template() {
  for (const char* path : {"/dev", "/proc", "/opt/atoll"}) {
    UniqueFd tree = clone_mount(AT_FDCWD, path, AT_RECURSIVE);
    if (!tree || !attach_mount(tree, path + 1)) return false;
  }
  return true;
}

}  // namespace

Outcome<UniqueFd> build_image_root(const ImageGround& ground, std::span<const UniqueFd> layers,
                                   std::span<const MountPoint> points) {
  Trees trees;
  if (layers.size() > trees.size()) return failed(Step::kImage, E2BIG);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    ATOLL_TRY(trees[i], clone_layer(ground, layers[i]));
    for (const MountPoint& point : points) {
      if (!passes_no_link(trees[i], point.path + 1)) return failed(Step::kMount);
    }
  }
  // Built on a file system of its own in a copy of the template, which is left behind.
  if (::setns(ground.host_template.get(), CLONE_NEWNS) != 0 || ::unshare(CLONE_NEWNS) != 0 ||
      ::mount("atoll", "/mnt", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,nr_inodes=512,mode=755") !=
          0 ||
      ::chdir("/mnt") != 0 || !mount_overlay(std::span(trees).first(layers.size()), points) ||
      ::chdir("root") != 0 || !bring_from_template() || ::syscall(SYS_pivot_root, ".", ".") != 0 ||
      ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0) {
    return failed(Step::kImage);
  }
  UniqueFd self(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
  if (!self) return failed(Step::kImage);
  return self;
}

}  // namespace atl::engine
