#include "cli/core/console.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

TEST(Console, ErrorNamesCodeAndSentence) {
  EXPECT_EQ(error_text(Error(Code::kNotFound, "no such thing"), false, false),
            "atoll: not_found: no such thing\n");
}

TEST(Console, ErrorSaysWhatToDo) {
  std::string text = error_text(Error(Code::kLimitUnenforceable, "--pids: no"), false, false);
  EXPECT_TRUE(text.starts_with("atoll: limit_unenforceable: --pids: no\n  hint: ")) << text;
}

TEST(Console, TrailIsForTheVerbose) {
  Error error = Error(Code::kIo, "broken").at("open").at("start");
  EXPECT_EQ(error_text(error, false, true), "atoll: io_error: broken\n  while: open, start\n");
}

TEST(Console, NamesDoNotCommandTheTerminal) {
  Error error(Code::kNotFound, "no \x1b[31mred\x07\r\x7f, \xc2\x9b, but ü and €");
  EXPECT_EQ(error_text(error, false, false), "atoll: not_found: no ?[31mred???, ??, but ü and €\n");
}

TEST(Console, ColoursObeyTheirSwitches) {
  EXPECT_TRUE(use_color(ColorMode::kAlways, STDOUT_FILENO));
  EXPECT_FALSE(use_color(ColorMode::kNever, STDOUT_FILENO));
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  ::setenv("TERM", "xterm", 1);
  EXPECT_FALSE(use_color(ColorMode::kAuto, pipe_ends[1]));
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(use_color(ColorMode::kAuto, terminal));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(use_color(ColorMode::kAuto, terminal));
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(use_color(ColorMode::kAuto, terminal));
  ::close(terminal);
}

}  // namespace
}  // namespace atl::cli
