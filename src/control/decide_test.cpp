#include "control/decide.hpp"

#include <gtest/gtest.h>

namespace atl::control {
namespace {

using model::RiskAction;
using policy::Rules;

Code decided(const ExecuteRequest& request, const model::RiskPolicy& levels = {}) {
  policy::Judgement judgement = judge_request(Rules::shipped(), request, !levels.empty());
  Result<RiskAction> answer = verdict({}, request, judgement, {.server = levels});
  return answer ? Code::kOk : answer.error().code();
}

Code shell(std::string command) { return decided({.shell_command = std::move(command)}); }

// covers: C40
TEST(Decide, DangerousCommandsAreNeverRun) {
  for (const char* command :
       {"rm -rf /", "rm  -rf   / ", "sudo rm -rf /*", "cd x; rm -rf / && true",
        "dd if=/dev/zero of=/dev/sda", "mkfs.ext4 /dev/sda", "/sbin/mkfs /dev/sda",
        ":(){ :|:& };:", "rm --recursive --force -- /", "d=/; rm -r -f $d"}) {
    EXPECT_EQ(shell(command), Code::kDangerousCommand) << command;
  }
}

TEST(Decide, OthersAre) {
  for (const char* command : {"rm -rf /tmp/x", "rm -rf ./*", "echo add if=1", "ls /sbin",
                              "rm -rf /workspace/old", "git rm -r files", "echo 'rm -rf /'"}) {
    EXPECT_EQ(shell(command), Code::kOk) << command;
  }
}

TEST(Decide, BashCodeIsLookedAtAsCommandsAre) {
  EXPECT_EQ(decided({.code = "x=rm\n$x -rf /", .language = "bash"}), Code::kDangerousCommand);
  EXPECT_EQ(decided({.code = "# rm -rf /", .language = "bash"}), Code::kOk);
}

TEST(Decide, ArgumentsAreReadAsWords) {
  ExecuteRequest request{.argv = {"rm", "-rf", "/"}};
  Result<RiskAction> answer =
      verdict({}, request, judge_request(Rules::shipped(), request, false), {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kDangerousCommand);
  EXPECT_EQ(answer.error().message(), "Dangerous command blocked: rm -rf /");
  EXPECT_EQ(decided({.argv = {"echo", "rm -rf /"}}), Code::kOk);
}

TEST(Decide, WhatAShellReadsIsCode) {
  EXPECT_EQ(decided({.shell_command = "bash -s", .stdin_data = "rm -rf /"}),
            Code::kDangerousCommand);
  EXPECT_EQ(decided({.argv = {"bash"}, .stdin_data = "x=/\nrm -r -f $x\n"}),
            Code::kDangerousCommand);
  EXPECT_EQ(decided({.shell_command = "cat", .stdin_data = "rm -rf /"}), Code::kOk);
  EXPECT_EQ(decided({.argv = {"python3", "-"}, .stdin_data = "eval('1')"},
                    {.critical = RiskAction::kDeny}),
            Code::kForbidden);
}

TEST(Decide, LevelsThatAreDeniedAreNotRun) {
  model::RiskPolicy strict{.critical = RiskAction::kDeny};
  EXPECT_EQ(decided({.code = "eval('1')", .language = "python"}, strict), Code::kForbidden);
  EXPECT_EQ(decided({.code = "eval('1')", .language = "python"}), Code::kOk);
  EXPECT_EQ(decided({.code = "open('f', 'w')", .language = "python"}, strict), Code::kOk);
  EXPECT_EQ(decided({.argv = {"python3", "-c", "eval('1')"}}, strict), Code::kForbidden);
}

TEST(Decide, AReadOnlyKeyRunsNothing) {
  Result<RiskAction> answer =
      verdict({.role = model::Role::kReadOnly}, {.shell_command = "true"}, {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kForbidden);
}

}  // namespace
}  // namespace atl::control
