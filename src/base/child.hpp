// Owner of one child process, as a pidfd. It kills what it still owns: a forgotten child is a
// leaked sandbox. Never waits in the destructor (a process in D state has no deadline): the corpse
// goes to the Reaper.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl {

struct ChildExit {
  int code = 0;    // exit code, or 128 + signal
  int signal = 0;  // 0: it exited by itself
};

// Takes the pidfds of killed children and reaps them when they have died.
class Reaper {
 public:
  virtual ~Reaper() = default;
  virtual void adopt(UniqueFd pidfd) = 0;
  // For programs that exit soon: init reaps what they leave.
  static Reaper& leave_to_init();
};

class Child {
 public:
  Child() = default;
  explicit Child(UniqueFd pidfd, Reaper& reaper = Reaper::leave_to_init()) noexcept
      : fd_(std::move(pidfd)), reaper_(&reaper) {}
  Child(Child&& other) noexcept = default;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { drop(); }

  // pidfd_open of a child that was just forked and has not been reaped.
  static Result<Child> own(pid_t pid, Reaper& reaper = Reaper::leave_to_init());

  explicit operator bool() const noexcept { return static_cast<bool>(fd_); }
  const UniqueFd& pidfd() const noexcept { return fd_; }
  Result<void> kill(int signal) const;
  // Blocks until it has ended (async::wait_child does not); empty afterwards.
  Result<ChildExit> reap();
  // Lets it live on without an owner.
  void detach() noexcept { fd_.reset(); }

 private:
  void drop() noexcept;

  UniqueFd fd_;
  Reaper* reaper_ = nullptr;
};

}  // namespace atl
