#include "engine/disk_image.hpp"

#include <linux/loop.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <cerrno>

#include "engine/sys.hpp"

namespace atl::engine {
namespace {

// Another process may take the free device between asking and configuring: ask again then.
UniqueFd attach_loop(const UniqueFd& file, int& number) {
  UniqueFd control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  loop_config config{.fd = static_cast<std::uint32_t>(file.get())};
  config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
  for (int attempt = 0; control && attempt < 64; ++attempt) {
    number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return {};
    UniqueFd device = open_at(AT_FDCWD, Text("/dev/loop%d", number).c_str(), O_RDWR);
    if (device && ::ioctl(device.get(), LOOP_CONFIGURE, &config) == 0) return device;
    if (errno != EBUSY) return {};
  }
  return {};
}

// No journal: the file system dies with its sandbox.
bool make_file_system(const char* device, std::uint64_t inodes) {
  Text count("%lu", inodes);
  const char* argv[] = {"mkfs.ext4",    "-q",          "-F",
                        "-m",           "0",           "-O",
                        "^has_journal", "-E",          "lazy_itable_init=1,nodiscard",
                        "-N",           count.c_str(), device,
                        nullptr};
  const char* environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", nullptr};
  pid_t pid = -1;
  errno = ::posix_spawn(&pid, "/usr/sbin/mkfs.ext4", nullptr, nullptr, const_cast<char**>(argv),
                        const_cast<char**>(environment));
  int status = 0;
  if (errno != 0 || ::waitpid(pid, &status, 0) != pid) return false;  // is e2fsprogs installed?
  if (status != 0) errno = EIO;
  return status == 0;
}

}  // namespace

UniqueFd make_disk(const UniqueFd& folder, std::uint64_t bytes, std::uint64_t inodes,
                   const UniqueFd& idmap) {
  UniqueFd file = open_at(folder.get(), ".", O_TMPFILE | O_RDWR);
  if (!file || ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return {};
  int number = -1;
  UniqueFd device = attach_loop(file, number);
  Text name("/dev/loop%d", number);
  if (!device || !make_file_system(name.c_str(), inodes)) return {};
  UniqueFd context(fsopen("ext4", FSOPEN_CLOEXEC));
  if (!context || fsconfig(context.get(), FSCONFIG_SET_STRING, "source", name.c_str(), 0) != 0 ||
      fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return {};
  }
  UniqueFd mount(fsmount(context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  if (mount && !change_mount(mount.get(), "", show_owners(idmap))) return {};
  return mount;
}

}  // namespace atl::engine
