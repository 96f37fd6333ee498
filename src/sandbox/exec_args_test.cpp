#include "sandbox/exec_args.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace atl::sandbox {
namespace {

using namespace std::string_literals;

Code code_of(const ExecRequest& request) {
  Result<guest::ExecArgs> args = exec_args(request, "/workspace");
  return args ? Code::kOk : args.error().code();
}

bool has(const guest::ExecArgs& args, std::string_view entry) {
  return std::ranges::find(args.env, entry) != args.env.end();
}

TEST(ExecArgs, GivesADefaultEnvironmentAndTheRequestsOnTop) {
  Result<guest::ExecArgs> args =
      exec_args({.argv = {"env"}, .env = {{"LANG", "de_DE.UTF-8"}, {"X", "a=b"}}}, "/workspace");
  ASSERT_TRUE(args.has_value());
  EXPECT_TRUE(has(*args, "HOME=/workspace"));
  EXPECT_TRUE(has(*args, "USER=user"));
  EXPECT_TRUE(has(*args, "TMPDIR=/tmp"));
  EXPECT_TRUE(has(*args, "PYTHONUNBUFFERED=1"));
  EXPECT_TRUE(has(*args, "LANG=de_DE.UTF-8"));
  EXPECT_FALSE(has(*args, "LANG=C.UTF-8"));
  EXPECT_TRUE(has(*args, "X=a=b"));
  EXPECT_TRUE(std::ranges::none_of(
      args->env, [](const std::string& one) { return one.starts_with("TERM="); }));
}

TEST(ExecArgs, TerminalsHaveASizeAndATerm) {
  Result<guest::ExecArgs> args =
      exec_args({.argv = {"sh"}, .terminal = TerminalSize{.rows = 50, .cols = 132}}, "/workspace");
  ASSERT_TRUE(args.has_value());
  EXPECT_TRUE(has(*args, "TERM=xterm-256color"));
  EXPECT_EQ(args->rows, 50);
  EXPECT_EQ(args->cols, 132);
  EXPECT_TRUE(args->flags & guest::ExecArgs::kTty);
}

TEST(ExecArgs, ControlAndZygoteAreFlags) {
  Result<guest::ExecArgs> args =
      exec_args({.argv = {"python3"}, .control = true, .zygote = true}, "/workspace");
  ASSERT_TRUE(args.has_value());
  EXPECT_EQ(args->flags, guest::ExecArgs::kControlSocket | guest::ExecArgs::kZygote);
}

TEST(ExecArgs, RefusesWhatNoProgramCouldBeGiven) {
  EXPECT_EQ(code_of({}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.argv = {""}}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.argv = {"a\0b"s}}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.argv = {"a"}, .env = {{"A=B", "x"}}}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.argv = {"a"}, .env = {{"", "x"}}}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.argv = {"a"}, .env = {{"A", "x\0y"s}}}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.argv = {"a"}, .cwd = "/x\0y"s}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.argv = {"a"}, .timeout = std::chrono::milliseconds(-1)}),
            Code::kInvalidArgument);
  EXPECT_EQ(code_of({.argv = {"a"}, .stdin_open = true, .control = true}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.argv = {"a"}}), Code::kOk);
}

TEST(BoxPath, RelativePathsStartAtTheWorkspace) {
  EXPECT_EQ(box_path("a/b", "/workspace").value(), "/workspace/a/b");
  EXPECT_EQ(box_path("/tmp/x", "/workspace").value(), "/tmp/x");
  EXPECT_EQ(box_path("", "/workspace").error().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace atl::sandbox
