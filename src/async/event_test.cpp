#include "async/event.hpp"

#include <memory>
#include <vector>

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include "async/run.hpp"
#include "async/task_group.hpp"

namespace atl::async {
namespace {

struct Shared {
  std::unique_ptr<Event> event = std::make_unique<Event>();
  std::vector<int> log;
};

Task<void> wait_and_note(Shared* shared, int number) {
  co_await shared->event->wait();
  shared->log.push_back(number);
}

Task<void> note_abort(Shared* shared) {
  try {
    co_await shared->event->wait();
  } catch (const boost::system::system_error&) {
    shared->log.push_back(-1);
    throw;
  }
}

Task<void> wakes_all(Executor executor, Shared* shared) {
  TaskGroup group(executor);
  group.spawn(wait_and_note(shared, 1));
  group.spawn(wait_and_note(shared, 2));
  shared->event->notify_all();
  EXPECT_TRUE(shared->log.empty()) << "waiters ran inside notify_all";
  co_await group.wait_idle();
}

TEST(Event, WakesEveryWaiterFromTheLoop) {
  Shared shared;
  run_to_end<void>([&](Executor executor) { return wakes_all(executor, &shared); });
  EXPECT_EQ(shared.log.size(), 2u);
}

Task<void> in_order(Executor executor, Shared* shared) {
  TaskGroup group(executor), leaving(executor);
  for (int number : {1, 2}) group.spawn(wait_and_note(shared, number));
  leaving.spawn(wait_and_note(shared, 0));
  for (int number : {3, 4}) group.spawn(wait_and_note(shared, number));
  co_await leaving.join();  // cancelled between the others
  group.spawn(wait_and_note(shared, 5));
  shared->event->notify_all();
  co_await group.wait_idle();
  // After all have gone the next ones are in order, too.
  for (int number : {6, 7}) group.spawn(wait_and_note(shared, number));
  shared->event->notify_all();
  co_await group.wait_idle();
}

// covers: C52
TEST(Event, WakesInTheOrderOfTheWaits) {
  Shared shared;
  run_to_end<void>([&](Executor executor) { return in_order(executor, &shared); });
  EXPECT_EQ(shared.log, (std::vector<int>{1, 2, 3, 4, 5, 6, 7}));
}

Task<void> cancelled(Executor executor, Shared* shared) {
  TaskGroup group(executor);
  group.spawn(note_abort(shared));
  EXPECT_TRUE(shared->event->has_waiters());
  co_await group.join();
  EXPECT_FALSE(shared->event->has_waiters());
}

TEST(Event, CancellationEndsTheWait) {
  Shared shared;
  run_to_end<void>([&](Executor executor) { return cancelled(executor, &shared); });
  EXPECT_EQ(shared.log, std::vector<int>{-1});
}

Task<void> destroyed(Executor executor, Shared* shared) {
  TaskGroup group(executor);
  group.spawn(note_abort(shared));
  shared->event.reset();
  co_await group.wait_idle();
}

TEST(Event, DestructionEndsTheWait) {
  Shared shared;
  run_to_end<void>([&](Executor executor) { return destroyed(executor, &shared); });
  EXPECT_EQ(shared.log, std::vector<int>{-1});
}

}  // namespace
}  // namespace atl::async
