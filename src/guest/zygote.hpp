// Starting a program as a fork of the sandbox's zygote: an interpreter outside, with its modules
// loaded, that can send a copy of itself in (src/enter).
#pragma once

#include <sys/types.h>

#include "base/result.hpp"
#include "guest/exec_child.hpp"
#include "guest/messages.hpp"

namespace atl::guest {

class Server;

// The pid of the new process, or 0 when there is no zygote (any more) and the program must be
// started plainly. plan.result says what failed.
Result<pid_t> start_by_zygote(Server& server, const ExecArgs& args, ChildPlan& plan);

}  // namespace atl::guest
