// Lets coroutines of one I/O thread wait until something changed. There is no state in it: test
// your condition in a loop, `while (!ready) co_await event.wait();`. Not for use across threads.
#pragma once

#include "async/task.hpp"

namespace atl::async {

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  // Whoever still waits is woken by operation_aborted, thrown from its wait().
  ~Event();

  // Until the next notify_all(). Throws operation_aborted when its task is cancelled.
  Task<void> wait();
  // Resumes every waiter from the event loop, never from inside this call, the one that has waited
  // longest first.
  void notify_all();
  bool has_waiters() const { return first_ != nullptr; }

 private:
  struct Waiter;
  template <typename Handler>
  struct WaiterOf;

  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};

}  // namespace atl::async
