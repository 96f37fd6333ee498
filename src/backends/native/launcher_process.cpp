#include "backends/native/launcher_process.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "backends/native/delegated_cgroup.hpp"
#include "backends/native/template_stamp.hpp"
#include "base/program_folder.hpp"

extern char** environ;

namespace atl::backends::native {
namespace {

constexpr const char* kDataFolder = "/var/lib/atoll";
constexpr int kControlFd = 3, kCgroupFd = 4;  // of the launcher
}  // namespace

std::string default_run_folder() {
  if (::geteuid() == 0) return "/run/atoll";
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/' && ::access(runtime, W_OK) == 0)
    return std::string(runtime) + "/atoll";
  return "/tmp/atoll-" + std::to_string(::geteuid());
}

Result<UniqueFd> start_launcher(const LauncherOptions& options) {
  ATOLL_TRY(std::string folder, program_folder());
  std::string program = folder + "/atoll-launcher";
  std::string stamp = template_stamp(folder + "/atoll-mounts");
  std::string run = options.run_folder.empty() ? default_run_folder() : options.run_folder;
  std::string data = options.data_folder.empty() ? kDataFolder : options.data_folder;
  std::string client = std::to_string(options.client_uid);
  std::string owner = std::to_string(options.mount_owner);
  std::string group = std::to_string(options.mount_group);
  // Above the numbers that the launcher gets.
  auto aside = [](int fd) { return UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, kCgroupFd + 1)); };
  UniqueFd found = ::geteuid() == 0 ? UniqueFd() : find_delegated_cgroup();
  UniqueFd cgroup = found ? aside(found.get()) : UniqueFd();
  std::vector<const char*> argv = {
      program.c_str(), "--control",     "3",           "--run",         run.c_str(),
      "--programs",    folder.c_str(),  "--disks",     data.c_str(),    "--client-uid",
      client.c_str(),  "--mount-owner", owner.c_str(), "--mount-group", group.c_str()};
  if (!stamp.empty()) argv.insert(argv.end(), {"--stamp", stamp.c_str()});
  if (cgroup) argv.insert(argv.end(), {"--cgroup", "4"});
  if (options.once) argv.push_back("--once");
  argv.push_back(nullptr);
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return fail_errno("socketpair");
  UniqueFd ours(pair[0]);
  UniqueFd theirs = aside(pair[1]);
  ::close(pair[1]);
  // The launcher outlives this process: holding its stdout open would keep a pipeline waiting.
  UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return fail_errno("open /dev/null");
  volatile int exec_error = 0;
  // NOLINTNEXTLINE(bugprone-unsafe-functions): posix_spawn cannot close all other descriptors.
  pid_t pid = ::vfork();  // shares memory until exec: nothing but system calls, and exec_error
  if (pid == 0) {
    for (int fd = 0; fd < 3; ++fd) ::dup2(null.get(), fd);
    ::dup2(theirs.get(), kControlFd);
    if (cgroup) ::dup2(cgroup.get(), kCgroupFd);
    ::syscall(SYS_close_range, cgroup ? kCgroupFd + 1 : kCgroupFd, ~0u, 0);
    ::execve(program.c_str(), const_cast<char**>(argv.data()), environ);
    exec_error = errno;
    ::_exit(127);
  }
  if (pid < 0) return fail_errno("vfork");
  if (exec_error != 0) {
    return fail(Error(Code::kHostUnsupported,
                      "cannot start atoll-launcher; it must lie beside atoll", exec_error));
  }
  return ours;
}

}  // namespace atl::backends::native
