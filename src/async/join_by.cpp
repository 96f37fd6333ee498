#include "async/join_by.hpp"

namespace atl::async {

Task<void> join_by(TaskGroup* group, Deadline deadline) {
  (void)co_await detail::ends_by(group->wait_idle(), deadline);
  co_await group->join();
}

}  // namespace atl::async
