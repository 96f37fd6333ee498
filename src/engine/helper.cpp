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
  // Both are moved aside first: each may stand on the number of the socket.
  int socket = ::fcntl(its_end.get(), F_DUPFD_CLOEXEC, kHelperSocket + 1);
  int file = ::fcntl(program.get(), F_DUPFD_CLOEXEC, kHelperSocket + 1);
  ::dup2(socket, kHelperSocket);
  ::syscall(SYS_close_range, kHelperSocket + 1, ~0u, CLOSE_RANGE_CLOEXEC);
  const char* argv[] = {name, nullptr};
  ::syscall(SYS_execveat, file, "", argv, confine::guest_environment(), AT_EMPTY_PATH);
  ::_exit(127);
}

}  // namespace atl::engine
