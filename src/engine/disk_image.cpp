#include "engine/disk_image.hpp"

#include <linux/loop.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>

#include "confine/capabilities.hpp"
#include "engine/mounts.hpp"

namespace atl::engine {
namespace {

constexpr int kNoProgram = 127;  // exit status: there is no mkfs.ext4

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

// In a pid namespace of its own, with one descriptor and no privileges. No journal: the file system
// dies with its sandbox.
[[noreturn]] void format(const UniqueFd& file, std::uint64_t inodes, uid_t uid) noexcept {
  Text count("%lu", inodes);
  const char* argv[] = {
      "mkfs.ext4",    "-q",          "-F",
      "-m",           "0",           "-O",
      "^has_journal", "-E",          "lazy_itable_init=1,nodiscard,root_owner=0:0",
      "-N",           count.c_str(), "/proc/self/fd/3",
      nullptr};
  const char* environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", nullptr};
  // What the largest disk takes, with room to spare.
  rlimit time{60, 60}, memory{1 << 30, 1 << 30};
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  int source = ::fcntl(file.get(), F_DUPFD_CLOEXEC, 16);
  bool ready =
      ::dup2(source, 3) == 3 && ::dup2(null, 0) == 0 && ::dup2(null, 1) == 1 &&
      ::dup2(null, 2) == 2 && ::syscall(SYS_close_range, 4, ~0u, 0) == 0 &&
      ::setrlimit(RLIMIT_CPU, &time) == 0 && ::setrlimit(RLIMIT_AS, &memory) == 0 &&
      ::syscall(SYS_setgroups, 0, nullptr) == 0 && ::syscall(SYS_setresgid, uid, uid, uid) == 0 &&
      ::syscall(SYS_setresuid, uid, uid, uid) == 0 && confine::keep_only_capabilities(0) == 0;
  if (ready) {
    ::alarm(60);
    ::execve("/usr/sbin/mkfs.ext4", const_cast<char**>(argv), const_cast<char**>(environment));
  }
  ::_exit(kNoProgram);
}

// Pid 1 of the formatter's pid namespace, with which it ends. The kernel asks whether who dies may
// signal who is to die with it: root without CAP_KILL may do that to root, but not to another uid.
[[noreturn]] void keep_formatter(const UniqueFd& file, std::uint64_t inodes, uid_t uid) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  pid_t pid = ::fork();
  if (pid == 0) format(file, inodes, uid);
  int status = 0;
  bool ended = pid > 0 && ::waitpid(pid, &status, 0) == pid && WIFEXITED(status);
  ::_exit(ended ? WEXITSTATUS(status) : 1);
}

// 0, or an errno.
int run_formatter(const UniqueFd& file, std::uint64_t inodes, uid_t uid) {
  constexpr std::uint64_t kAlone = CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC;
  UniqueFd formatter;
  pid_t pid = clone_child(kAlone, formatter);
  if (pid == 0) keep_formatter(file, inodes, uid);
  int status = 0;
  if (pid < 0 || ::waitpid(pid, &status, 0) != pid) return errno;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoProgram) return EOPNOTSUPP;
  return status == 0 ? 0 : EIO;
}

UniqueFd mount_disk(const UniqueFd& file, const UniqueFd& owners) {
  int number = -1;
  if (::fchown(file.get(), 0, 0) != 0) return {};
  UniqueFd device = attach_loop(file, number);
  Text name("/dev/loop%d", number);
  using confine::fsconfig;
  UniqueFd context(device ? confine::fsopen("ext4", FSOPEN_CLOEXEC) : -1);
  if (!context || fsconfig(context.get(), FSCONFIG_SET_STRING, "source", name.c_str(), 0) != 0 ||
      fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return {};
  }
  UniqueFd mount(
      confine::fsmount(context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  if (mount && !change_mount(mount.get(), "", show_owners(owners))) return {};
  return mount;
}

}  // namespace

Outcome<UniqueFd> make_disk(const UniqueFd& folder, std::uint64_t bytes, std::uint64_t inodes,
                            const UniqueFd& owners) {
  // Below the uids of zygotes; nothing else has it.
  constexpr uid_t kFormatter = 0x5ffd0000;
  UniqueFd file = open_at(folder.get(), ".", O_TMPFILE | O_RDWR);
  if (!file || ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 ||
      ::fchown(file.get(), kFormatter, kFormatter) != 0) {
    return failed(Step::kDisk);
  }
  if (int error = run_formatter(file, inodes, kFormatter)) return failed(Step::kDisk, error);
  UniqueFd mount = mount_disk(file, owners);
  if (!mount) return failed(Step::kDisk);
  return mount;
}

}  // namespace atl::engine
