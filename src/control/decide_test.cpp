#include "control/decide.hpp"

#include <gtest/gtest.h>

namespace atl::control {
namespace {

Code shell(std::string command) {
  LiveSession session;
  Result<void> decided = decide({}, session, {.shell_command = std::move(command)});
  return decided ? Code::kOk : decided.error().code();
}

// covers: C40
TEST(Decide, DangerousCommandsAreNeverRun) {
  for (const char* command : {"rm -rf /", "rm  -rf   / ", "sudo rm -rf /*",
                              "cd x; rm -rf / && true", "dd if=/dev/zero of=/dev/sda",
                              "mkfs.ext4 /dev/sda", "/sbin/mkfs /dev/sda", ":(){ :|:& };:"}) {
    EXPECT_EQ(shell(command), Code::kDangerousCommand) << command;
  }
}

TEST(Decide, OthersAre) {
  for (const char* command : {"rm -rf /tmp/x", "rm -rf ./*", "echo add if=1", "ls /sbin",
                              "rm -rf /workspace/old", "git rm -r files"}) {
    EXPECT_EQ(shell(command), Code::kOk) << command;
  }
}

TEST(Decide, ArgumentsAreReadAsALine) {
  LiveSession session;
  Result<void> decided = decide({}, session, {.argv = {"rm", "-rf", "/"}});
  ASSERT_FALSE(decided);
  EXPECT_EQ(decided.error().code(), Code::kDangerousCommand);
  EXPECT_EQ(decided.error().message(), "Dangerous command blocked: rm -rf /");
}

TEST(Decide, AReadOnlyKeyRunsNothing) {
  LiveSession session;
  Result<void> decided =
      decide({.role = model::Role::kReadOnly}, session, {.shell_command = "true"});
  ASSERT_FALSE(decided);
  EXPECT_EQ(decided.error().code(), Code::kForbidden);
}

}  // namespace
}  // namespace atl::control
