#include "guest/zygote.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/send_fds.hpp"
#include "base/write_all.hpp"
#include "guest/server.hpp"

namespace atl::guest {
namespace {

// What the execution is about goes past the zygote, in a file: it would stay in the memory that all
// of its later children share.
UniqueFd args_file(std::string_view args) {
  UniqueFd file(static_cast<int>(::syscall(SYS_memfd_create, "args", MFD_CLOEXEC)));
  bool written = file && write_all(file.get(), args) && ::lseek(file.get(), 0, SEEK_SET) == 0;
  return written ? std::move(file) : UniqueFd();
}

// With what it needs to come in: a handle of this process, whose namespaces it enters, and the
// files of the cgroup leaf. It gets these for one execution and has to close them.
bool ask(Server& server, const ChildPlan& plan, int report, int args, char word = 'x') {
  static const int own = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  std::vector<int> fds = {plan.stdio[0], plan.stdio[1], plan.stdio[2], report, args, own};
  fds.insert(fds.end(), server.task_fds().begin(), server.task_fds().end());
  if (plan.control >= 0) fds.push_back(plan.control);
  const char message[] = {word, static_cast<char>(server.task_fds().size())};
  return send_fds(server.zygote().get(), message, sizeof message, fds) >= 0;
}

// Too many at once, or no memory, is this request's affair; anything else is the zygote's end.
void forget_if_gone(Server& server) {
  if (errno != EAGAIN && errno != ENOMEM && errno != EMFILE) server.zygote().reset();
}

// False when it does not say a word in time. No pid: it died, or could not fork, and nothing of the
// user's has run.
bool await_report(int report, int timeout_ms, ChildReport& result) {
  pollfd end{report, POLLIN, 0};
  if (::poll(&end, 1, timeout_ms) == 0) return false;
  if (::read(report, &result, sizeof result) != static_cast<ssize_t>(sizeof result)) result = {};
  return true;
}

}  // namespace

void Parked::ask_for(Server& server, char word) {
  int seats[2];
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, seats) != 0) return;
  UniqueFd ours(seats[0]);
  UniqueFd theirs(seats[1]);
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  report_.reset(ends[0]);
  pid_ = 0;
  UniqueFd report(ends[1]);
  ChildPlan plan;
  std::ranges::fill(plan.stdio, server.null_fd());
  bool sent = ask(server, plan, report.get(), theirs.get(), word);
  if (!sent) return forget_if_gone(server);
  seat_ = std::move(ours);
}

pid_t Parked::pid(int timeout_ms) {
  ChildReport result;
  if (report_ && await_report(report_.get(), timeout_ms, result)) {
    pid_ = result.pid;
    report_.reset();
  }
  return !seat_ ? 0 : report_ ? -1 : pid_;
}

pid_t Parked::give(const ChildPlan& plan, int args, UniqueFd& notice) {
  pid_t there = pid(kChildStartTime);
  UniqueFd seat = std::move(seat_);
  if (there <= 0) return there;
  const int fds[] = {plan.stdio[0], plan.stdio[1], plan.stdio[2], args, plan.control};
  if (send_fds(seat.get(), "x", 1, std::span(fds, plan.control >= 0 ? 5 : 4)) < 0) return 0;
  ::kill(there, SIGCONT);  // others in the sandbox may have stopped it, or killed it just now
  pollfd answer{seat.get(), POLLIN, 0};
  char word = 0;
  if (::poll(&answer, 1, kChildStartTime) <= 0 || ::recv(seat.get(), &word, 1, 0) != 1) {
    ::kill(there, SIGKILL);
    return 0;
  }
  notice = std::move(seat);
  return there;
}

Result<pid_t> start_by_zygote(Server& server, const ExecArgs& args, ChildPlan& plan,
                              UniqueFd& notice) {
  if (!server.zygote()) return 0;
  UniqueFd file = args_file(encoded(args));
  if (!file) return 0;
  if (args.cwd.empty()) {  // it waits in the usual place
    pid_t pid = server.parked().give(plan, file.get(), notice);
    if (pid < 0) server.zygote().reset();
    if (pid != 0) return std::max(pid, 0);
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("Making a pipe");
  UniqueFd report(ends[0]);
  UniqueFd theirs(ends[1]);
  if (!ask(server, plan, theirs.get(), file.get())) {
    forget_if_gone(server);
    return 0;
  }
  theirs.reset();
  // One that does not answer is none. Should it come to, its copy cannot report, and ends at once.
  if (!await_report(report.get(), kChildStartTime, plan.result)) server.zygote().reset();
  return plan.result.pid;
}

}  // namespace atl::guest
