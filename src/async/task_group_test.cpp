#include "async/task_group.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "async/event.hpp"
#include "async/run.hpp"

namespace atl::async {
namespace {

Task<void> wait_for(Event* event, int* ended) {
  struct Note {
    int* ended;
    ~Note() { ++*ended; }
  } note{ended};
  for (;;) co_await event->wait();
}

Task<void> join_all(Executor executor, Event* event, int* ended) {
  TaskGroup group(executor);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(group.spawn(wait_for(event, ended)));
  EXPECT_EQ(group.size(), 3u);
  co_await group.join();
  EXPECT_EQ(*ended, 3);
  EXPECT_FALSE(group.spawn(wait_for(event, ended))) << "a closed group took a task";
  EXPECT_EQ(group.size(), 0u);
}

TEST(TaskGroup, JoinCancelsAndWaits) {
  Event event;
  int ended = 0;
  run_to_end<void>([&](Executor executor) { return join_all(executor, &event, &ended); });
}

Task<void> leave_running(Executor executor, Event* event, int* ended) {
  TaskGroup group(executor);
  group.spawn(wait_for(event, ended));
  co_return;
}

TEST(TaskGroup, DestructorCancels) {
  Event event;
  int ended = 0;
  run_to_end<void>([&](Executor executor) { return leave_running(executor, &event, &ended); });
  EXPECT_EQ(ended, 1);
}

Task<void> broken() {
  throw std::logic_error("bug");
  co_return;
}

Task<void> run_broken(Executor executor) {
  TaskGroup group(executor);
  group.spawn(broken());
  co_await group.wait_idle();
}

TEST(TaskGroup, ReportsBugsButNotCancellation) {
  int bugs = 0;
  on_bug([&](const std::exception_ptr&) { ++bugs; });
  run_to_end<void>([&](Executor executor) { return run_broken(executor); });
  EXPECT_EQ(bugs, 1);
  Event event;
  int ended = 0;
  run_to_end<void>([&](Executor executor) { return join_all(executor, &event, &ended); });
  EXPECT_EQ(bugs, 1);
  on_bug(nullptr);
}

}  // namespace
}  // namespace atl::async
