#include "cli/core/exit_status.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

TEST(ExitStatus, FollowsTheContract) {
  EXPECT_EQ(exit_status_of(sandbox::ExitStatus{.exit_code = 3}), 3);
  EXPECT_EQ(exit_status_of(sandbox::ExitStatus{.exit_code = 143, .signal = 15}), 143);
  EXPECT_EQ(exit_status_of(sandbox::ExitStatus{.exit_code = 137, .signal = 9, .timed_out = true}),
            124);
  EXPECT_EQ(exit_status_of(sandbox::ExitStatus{.exit_code = 137, .signal = 9, .oom = true}), 137);
  // Something inside was killed for memory, but the program coped.
  EXPECT_EQ(exit_status_of(sandbox::ExitStatus{.exit_code = 0, .oom = true}), 0);
}

TEST(ExitStatus, ErrorsOfAtoll) {
  EXPECT_EQ(exit_status_of(Code::kProgramNotFound), 127);
  EXPECT_EQ(exit_status_of(Code::kProgramNotExecutable), 126);
  EXPECT_EQ(exit_status_of(Code::kExecTimeout), 124);
  EXPECT_EQ(exit_status_of(Code::kInvalidArgument), 125);
  EXPECT_EQ(exit_status_of(Code::kLimitUnenforceable), 125);
  EXPECT_EQ(exit_status_of(Code::kInternal), 125);
}

}  // namespace
}  // namespace atl::cli
