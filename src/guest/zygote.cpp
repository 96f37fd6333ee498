#include "guest/zygote.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/send_fds.hpp"
#include "guest/server.hpp"

namespace atl::guest {
namespace {

// What the execution is about goes past the zygote, in a file: it would stay in the memory that all
// of its later children share.
bool ask(int zygote, std::string_view args, const ChildPlan& plan, int report) {
  UniqueFd file(static_cast<int>(::syscall(SYS_memfd_create, "args", MFD_CLOEXEC)));
  if (!file || ::write(file.get(), args.data(), args.size()) != static_cast<ssize_t>(args.size()) ||
      ::lseek(file.get(), 0, SEEK_SET) != 0) {
    return false;
  }
  const int fds[] = {plan.stdio[0], plan.stdio[1], plan.stdio[2], report, file.get(), plan.control};
  std::size_t count = plan.control >= 0 ? 6 : 5;
  return send_fds(zygote, "x", 1, std::span(fds, count)) >= 0;
}

}  // namespace

Result<pid_t> start_by_zygote(Server& server, const ExecArgs& args, ChildPlan& plan) {
  if (!server.zygote()) return 0;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("Making a pipe");
  UniqueFd report(ends[0]);
  UniqueFd theirs(ends[1]);
  if (!ask(server.zygote().get(), encoded(args), plan, theirs.get())) {
    // Too many at once, or no memory, is this request's affair; anything else is the zygote's end.
    if (errno != EAGAIN && errno != ENOMEM && errno != EMFILE) server.zygote().reset();
    return 0;
  }
  theirs.reset();
  pollfd end{report.get(), POLLIN, 0};
  // One that does not answer is none. Should it come to, its copy cannot report, and ends at once.
  if (::poll(&end, 1, kChildStartTime) == 0) {
    server.zygote().reset();
    return 0;
  }
  // No word at all: it died, or could not fork. Nothing of the user's has run yet.
  if (::read(report.get(), &plan.result, sizeof plan.result) !=
      static_cast<ssize_t>(sizeof plan.result)) {
    plan.result = {};
  }
  return plan.result.pid;
}

}  // namespace atl::guest
