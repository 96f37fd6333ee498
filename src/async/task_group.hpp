// Owner of background tasks. Once closed it takes no new ones, cancels those it has, and join()
// waits until the last one has ended. A task that ends by an exception other than its cancellation
// is a bug: it is reported through on_bug() and ends alone.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

#include "async/task.hpp"

namespace atl::async {

class TaskGroup {
 public:
  explicit TaskGroup(Executor executor);
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  // Closes. Tasks that have not ended yet unwind from the event loop: what they refer to must
  // outlive them (own it by shared_ptr), or join() comes first.
  ~TaskGroup();

  // Starts at once, inside this call, up to its first wait. False, and the task is destroyed
  // unstarted, when the group is closed.
  bool spawn(Task<void> task);
  // No new tasks; cancels all.
  void close();
  // close(), then waits for the last task.
  Task<void> join();
  // Waits for the last task without cancelling anything.
  Task<void> wait_idle();
  std::size_t size() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Where unexpected exceptions of background tasks go; by default one line on stderr.
void on_bug(std::function<void(std::exception_ptr)> handler);
void report_bug(std::exception_ptr exception);

}  // namespace atl::async
