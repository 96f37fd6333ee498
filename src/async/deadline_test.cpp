#include "async/deadline.hpp"

#include <gtest/gtest.h>

#include "async/event.hpp"
#include "async/run.hpp"
#include "async/task_group.hpp"

namespace atl::async {
namespace {

using namespace std::chrono_literals;

Task<Result<int>> answer(int value) { co_return value; }
Task<Result<int>> never(Event* event) {
  for (;;) co_await event->wait();
}

Task<void> in_time() {
  Result<int> value =
      co_await with_deadline(answer(7), deadline_in(1h), Code::kExecTimeout, "late");
  EXPECT_EQ(value.value(), 7);
}

TEST(WithDeadline, PassesTheAnswerOn) {
  run_to_end<void>([](Executor) { return in_time(); });
}

Task<void> too_late(Event* event) {
  Result<int> value =
      co_await with_deadline(never(event), deadline_in(0s), Code::kExecTimeout, "late");
  EXPECT_EQ(value.error().code(), Code::kExecTimeout);
  EXPECT_FALSE(event->has_waiters()) << "the late task is still waiting";
}

TEST(WithDeadline, CancelsWhatIsLate) {
  Event event;
  run_to_end<void>([&](Executor) { return too_late(&event); });
}

Task<void> wait_long(Event* event) {
  static_cast<void>(
      co_await with_deadline(never(event), deadline_in(1h), Code::kExecTimeout, "late"));
}

Task<void> cancelled_outside(Executor executor, Event* event) {
  TaskGroup group(executor);
  group.spawn(wait_long(event));
  EXPECT_TRUE(event->has_waiters());
  co_await group.join();
  EXPECT_FALSE(event->has_waiters());
}

TEST(WithDeadline, PassesCancellationOn) {
  Event event;
  run_to_end<void>([&](Executor executor) { return cancelled_outside(executor, &event); });
}

}  // namespace
}  // namespace atl::async
