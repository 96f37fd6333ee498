#include "async/run.hpp"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace atl::async {
namespace {

Task<std::string> say(std::string word) { co_return word + "!"; }
Task<void> throw_now() {
  throw std::runtime_error("bug");
  co_return;
}

TEST(RunToEnd, ReturnsWhatTheTaskReturns) {
  EXPECT_EQ(run_to_end<std::string>([](Executor) { return say("done"); }), "done!");
}

TEST(RunToEnd, RethrowsWhatTheTaskThrew) {
  EXPECT_THROW(run_to_end<void>([](Executor) { return throw_now(); }), std::runtime_error);
}

}  // namespace
}  // namespace atl::async
