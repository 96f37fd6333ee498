#include "async/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "async/run.hpp"

namespace atl::async {
namespace {

Task<void> take_two(Executor executor) {
  Result<Signals> signals = Signals::listen(executor, {SIGUSR1, SIGWINCH});
  EXPECT_TRUE(signals.has_value());
  ::kill(::getpid(), SIGUSR1);
  Result<int> first = co_await signals->next();
  EXPECT_EQ(first.value(), SIGUSR1);
  ::kill(::getpid(), SIGWINCH);
  Result<int> second = co_await signals->next();
  EXPECT_EQ(second.value(), SIGWINCH);
}

TEST(Signals, ArriveInOrderAndTheMaskComesBack) {
  run_to_end<void>([](Executor executor) { return take_two(executor); });
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(::sigismember(&mask, SIGUSR1), 0);
}

}  // namespace
}  // namespace atl::async
