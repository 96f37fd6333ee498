// Waiting for a child process by its pidfd, without a SIGCHLD handler and without pid reuse races.
#pragma once

#include "async/task.hpp"
#include "base/child.hpp"
#include "base/result.hpp"

namespace atl::async {

// Until the child has ended; reaps it. The Child is empty afterwards and kills nobody.
Task<Result<ChildExit>> wait_child(Child& child);

}  // namespace atl::async
