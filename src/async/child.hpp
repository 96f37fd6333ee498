// Waiting for a child process by its pidfd, without a SIGCHLD handler and without pid reuse races.
#pragma once

#include "async/task.hpp"
#include "base/child.hpp"
#include "base/result.hpp"

namespace atl::async {

namespace detail {
Task<Result<ChildExit>> wait_child(Child* child);
}

// Until the child has ended; reaps it. The Child is empty afterwards and kills nobody.
inline Task<Result<ChildExit>> wait_child(Child& child) { return detail::wait_child(&child); }

}  // namespace atl::async
