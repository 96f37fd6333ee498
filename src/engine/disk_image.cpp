#include "engine/disk_image.hpp"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace atl::engine {
namespace {

// Another process may take the free device between asking and configuring: ask again then.
Result<UniqueFd> attach_loop(const UniqueFd& file, char (&name)[32]) {
  UniqueFd control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  if (!control) return fail_errno("open loop-control");
  for (int attempt = 0; attempt < 64; ++attempt) {
    int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return fail_errno("find a loop device");
    std::snprintf(name, sizeof name, "/dev/loop%d", number);
    UniqueFd device(::open(name, O_RDWR | O_CLOEXEC));
    loop_config config{};
    config.fd = static_cast<std::uint32_t>(file.get());
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (device && ::ioctl(device.get(), LOOP_CONFIGURE, &config) == 0) return device;
    if (errno != EBUSY) return fail_errno("configure loop device");
  }
  return fail(Code::kResourceExhausted, "no loop device is free");
}

// No journal: the file system dies with its sandbox.
Result<void> make_file_system(const char* device, std::uint64_t inodes) {
  char count[24];
  std::snprintf(count, sizeof count, "%llu", static_cast<unsigned long long>(inodes));
  const char* argv[] = {"mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal", "-E",
                        "lazy_itable_init=1,nodiscard", "-N", count, device, nullptr};
  const char* environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", nullptr};
  pid_t pid = ::vfork();
  if (pid == 0) {
    ::execve("/usr/sbin/mkfs.ext4", const_cast<char**>(argv), const_cast<char**>(environment));
    ::_exit(127);
  }
  int status = 0;
  if (pid < 0 || ::waitpid(pid, &status, 0) != pid) return fail_errno("start mkfs.ext4");
  if (status != 0) return fail(Error(Code::kHostUnsupported, "mkfs.ext4 failed; is e2fsprogs installed?", EIO));
  return {};
}

}  // namespace

Result<UniqueFd> make_disk(const UniqueFd& folder, std::uint64_t bytes, std::uint64_t inodes, const UniqueFd& idmap) {
  UniqueFd file(::openat(folder.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file) return fail_errno("create disk image");
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return fail_errno("size disk image");
  char name[32];
  ATOLL_TRY(UniqueFd device, attach_loop(file, name));
  ATOLL_CHECK(make_file_system(name, inodes));
  UniqueFd context(::fsopen("ext4", FSOPEN_CLOEXEC));
  if (!context || ::fsconfig(context.get(), FSCONFIG_SET_STRING, "source", name, 0) != 0 ||
      ::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return fail_errno("mount disk image");
  }
  UniqueFd mount(::fsmount(context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  if (!mount) return fail_errno("mount disk image");
  mount_attr attr{.attr_set = MOUNT_ATTR_IDMAP, .attr_clr = 0, .propagation = 0, .userns_fd = static_cast<std::uint64_t>(idmap.get())};
  if (::mount_setattr(mount.get(), "", AT_EMPTY_PATH, &attr, sizeof attr) != 0) return fail_errno("map disk owners");
  return mount;
}

}  // namespace atl::engine
