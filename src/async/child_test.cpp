#include "async/child.hpp"

#include <signal.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "async/run.hpp"
#include "async/task_group.hpp"

namespace atl::async {
namespace {

Child fork_child(void (*body)()) {
  pid_t pid = ::fork();
  if (pid == 0) {
    body();
    ::_exit(0);
  }
  return Child::own(pid).value();
}

Task<void> await_exit(Child* child, ChildExit* exit) {
  Result<ChildExit> result = co_await wait_child(*child);
  EXPECT_TRUE(result.has_value());
  if (result) *exit = *result;
}

TEST(WaitChild, ReportsTheExitCode) {
  Child child = fork_child([] { ::_exit(42); });
  ChildExit exit;
  run_to_end<void>([&](Executor) { return await_exit(&child, &exit); });
  EXPECT_EQ(exit.code, 42);
  EXPECT_EQ(exit.signal, 0);
  EXPECT_FALSE(child);
}

Task<void> kill_and_wait(Executor executor, Child* child, ChildExit* exit) {
  TaskGroup group(executor);
  group.spawn(await_exit(child, exit));
  EXPECT_TRUE(child->kill(SIGKILL).has_value());
  co_await group.wait_idle();
}

TEST(WaitChild, ReportsTheSignal) {
  Child child = fork_child([] {
    for (;;) ::pause();
  });
  ChildExit exit;
  run_to_end<void>([&](Executor executor) { return kill_and_wait(executor, &child, &exit); });
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_EQ(exit.code, 137);
}

}  // namespace
}  // namespace atl::async
