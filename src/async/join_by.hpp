// An end that does not take for ever: tasks that hang are cancelled.
#pragma once

#include "async/deadline.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"

namespace atl::async {

// Waits for the last task until the deadline, then cancels those that are left and waits for them.
// The group is closed afterwards.
Task<void> join_by(TaskGroup* group, Deadline deadline);

}  // namespace atl::async
