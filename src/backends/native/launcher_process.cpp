#include "backends/native/launcher_process.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

extern char** environ;

namespace atl::backends::native {
namespace {

constexpr const char* kDataFolder = "/var/lib/atoll";
}  // namespace

std::string default_run_folder() {
  if (::geteuid() == 0) return "/run/atoll";
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/' && ::access(runtime, W_OK) == 0)
    return std::string(runtime) + "/atoll";
  return "/tmp/atoll-" + std::to_string(::geteuid());
}

Result<std::string> program_folder() {
  char path[PATH_MAX];
  ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0) return fail_errno("finding this program");
  std::string_view text(path, static_cast<std::size_t>(size));
  return std::string(text.substr(0, text.rfind('/')));
}

Result<UniqueFd> start_launcher(const LauncherOptions& options) {
  ATOLL_TRY(std::string folder, program_folder());
  std::string program = folder + "/atoll-launcher";
  std::string guest = folder + "/atoll-guest";
  std::string zygote = folder + "/atoll-zygote";
  std::string driver = folder + "/atoll-driver.py";
  std::string enter = folder + "/atoll-enter.so";
  std::string run = options.run_folder.empty() ? default_run_folder() : options.run_folder;
  std::string data = options.data_folder.empty() ? kDataFolder : options.data_folder;
  std::string client = std::to_string(options.client_uid);
  std::string owner = std::to_string(options.mount_owner);
  // "--once" is last, so that leaving it out is ending the list earlier.
  const char* argv[] = {program.c_str(),
                        "--control",
                        "3",
                        "--run",
                        run.c_str(),
                        "--guest",
                        guest.c_str(),
                        "--zygote",
                        zygote.c_str(),
                        "--driver",
                        driver.c_str(),
                        "--enter",
                        enter.c_str(),
                        "--disks",
                        data.c_str(),
                        "--client-uid",
                        client.c_str(),
                        "--mount-owner",
                        owner.c_str(),
                        options.once ? "--once" : nullptr,
                        nullptr};
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return fail_errno("socketpair");
  UniqueFd ours(pair[0]);
  UniqueFd theirs(pair[1]);
  // The launcher outlives this process: holding its stdout open would keep a pipeline waiting.
  UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return fail_errno("open /dev/null");
  volatile int exec_error = 0;
  // NOLINTNEXTLINE(bugprone-unsafe-functions): posix_spawn cannot close all other descriptors.
  pid_t pid = ::vfork();  // shares memory until exec: nothing but system calls, and exec_error
  if (pid == 0) {
    for (int fd = 0; fd < 3; ++fd) ::dup2(null.get(), fd);
    if (theirs.get() == 3) {
      ::fcntl(3, F_SETFD, 0);
    } else {
      ::dup2(theirs.get(), 3);
    }
    ::syscall(SYS_close_range, 4, ~0u, 0);
    ::execve(program.c_str(), const_cast<char**>(argv), environ);
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
