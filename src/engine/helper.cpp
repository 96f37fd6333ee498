#include "engine/helper.hpp"

#include <linux/close_range.h>
#include <sys/syscall.h>

#include "base/send_fds.hpp"
#include "confine/walls.hpp"
#include "engine/sys.hpp"

namespace atl::engine {

Outcome<Helper> start_helper(Step step, const UniqueFd& program, const char* name,
                             std::string_view order, std::span<const int> given) {
  Helper helper;
  UniqueFd its_end;
  if (!make_link(helper.socket, its_end) ||
      send_fds(helper.socket.get(), order.data(), order.size(), given) < 0) {
    return failed(step);
  }
  pid_t pid = clone_child(0, helper.process);
  if (pid < 0) return failed(step);
  if (pid > 0) return helper;
  become(program.get(), its_end.get(), name);
  ::_exit(127);
}

void become(int program, int socket, const char* name) noexcept {
  // Both are moved aside first: each may stand on the number of the socket.
  int aside = ::fcntl(socket, F_DUPFD_CLOEXEC, kHelperSocket + 1);
  int file = ::fcntl(program, F_DUPFD_CLOEXEC, kHelperSocket + 1);
  const char* argv[] = {name, nullptr};
  if (file < 0 || ::dup2(aside, kHelperSocket) < 0 ||
      ::syscall(SYS_close_range, kHelperSocket + 1, ~0u, CLOSE_RANGE_CLOEXEC) != 0) {
    return;
  }
  ::syscall(SYS_execveat, file, "", argv, confine::guest_environment(), AT_EMPTY_PATH);
}

}  // namespace atl::engine
