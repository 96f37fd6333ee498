#include "base/child.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace atl {

namespace {

class LeaveToInit final : public Reaper {
 public:
  void adopt(UniqueFd pidfd) override { pidfd.reset(); }
};

}  // namespace

Reaper& Reaper::leave_to_init() {
  static LeaveToInit reaper;
  return reaper;
}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    drop();
    fd_ = std::move(other.fd_);
    reaper_ = other.reaper_;
  }
  return *this;
}

Result<Child> Child::own(pid_t pid, Reaper& reaper) {
  UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));  // close-on-exec by itself
  if (!fd) return fail_errno("pidfd_open");
  return Child(std::move(fd), reaper);
}

Result<void> Child::kill(int signal) const {
  if (!fd_) return fail(Code::kNotFound, "the process is gone");
  if (::syscall(SYS_pidfd_send_signal, fd_.get(), signal, nullptr, 0) != 0) {
    return fail_errno("pidfd_send_signal");
  }
  return {};
}

Result<ChildExit> Child::reap() {
  siginfo_t info{};
  int done = 0;
  do {
    done = ::waitid(P_PIDFD, static_cast<id_t>(fd_.get()), &info, WEXITED);
  } while (done != 0 && errno == EINTR);
  if (done != 0) return fail_errno("waitid");
  fd_.reset();
  if (info.si_code == CLD_EXITED) return ChildExit{.code = info.si_status, .signal = 0};
  return ChildExit{.code = 128 + info.si_status, .signal = info.si_status};
}

void Child::drop() noexcept {
  if (!fd_) return;
  static_cast<void>(kill(SIGKILL));
  reaper_->adopt(std::move(fd_));
}

}  // namespace atl
