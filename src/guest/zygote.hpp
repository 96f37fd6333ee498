// Starting a program as a fork of the sandbox's zygote: an interpreter outside, with its modules
// loaded, that can send a copy of itself in (src/enter). The copy for the next execution is asked
// for ahead of time, and waits inside.
#pragma once

#include <sys/time.h>
#include <sys/types.h>

#include <cstdint>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "guest/exec_child.hpp"
#include "guest/messages.hpp"

namespace atl::guest {

class Server;

// What an interpreter that was parked says when all is done that anybody could see of it: to take
// its memory apart costs the kernel a millisecond or two, and nobody needs to wait for that. One
// that says so and goes on is a program in the background, as any may become.
struct EndNotice {
  std::int64_t exit_code;
  timeval user, system;
  std::int64_t max_rss_kb;
};

class Parked {
 public:
  bool asked_for() const { return static_cast<bool>(seat_); }
  void ask_for(Server& server, char word);  // 'x', or 'l': it may have to wait for long
  pid_t pid(int timeout_ms);                // 0: there is none; -1: not yet
  // Hands an execution to it. 0 when there is none, or none any more; -1 when the zygote does not
  // answer. Nothing has happened then.
  pid_t give(const ChildPlan& plan, int args, UniqueFd& notice);

 private:
  UniqueFd seat_;    // it sits at the other end, and waits for descriptors
  UniqueFd report_;  // where it says that it is in
  pid_t pid_ = 0;
};

// The pid of the new process, or 0 when there is no zygote (any more) and the program must be
// started plainly. plan.result says what failed.
Result<pid_t> start_by_zygote(Server& server, const ExecArgs& args, ChildPlan& plan,
                              UniqueFd& notice);

}  // namespace atl::guest
