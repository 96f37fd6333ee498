#include "backends/opensandbox/marks.hpp"

#include <gtest/gtest.h>

namespace atl::backends::opensandbox {
namespace {

TEST(OpenSandboxMarks, PutsTheEndsOfLinesBack) {
  Marks marks("m");
  EXPECT_EQ(marks.take_stdout("\001mS42"), "");
  EXPECT_EQ(marks.start(), Marks::Start::kStarted);
  EXPECT_EQ(marks.pid(), 42);
  EXPECT_EQ(marks.take_stdout("one"), "one\n");
  EXPECT_EQ(marks.take_stdout("\n"), "\n");
  EXPECT_EQ(marks.take_stdout("two\n"), "two\n");
  EXPECT_FALSE(marks.code());
  EXPECT_EQ(marks.take_stdout("no end\001mE7"), "no end");
  EXPECT_EQ(marks.code(), 7);
  EXPECT_EQ(marks.take_stdout("0m0.010s 0m0.020s"), "");
  EXPECT_EQ(marks.take_stdout("1m0.500s 0m0.250s"), "");
  EXPECT_EQ(marks.cpu_user(), std::chrono::milliseconds(60'500));
  EXPECT_EQ(marks.cpu_system(), std::chrono::milliseconds(250));
}

TEST(OpenSandboxMarks, StderrHasAnEndOfItsOwn) {
  Marks marks("m");
  EXPECT_EQ(marks.take_stderr("a"), "a\n");
  EXPECT_EQ(marks.take_stderr("b\001mE"), "b");
  EXPECT_EQ(marks.take_stderr("the shell"), "");
}

TEST(OpenSandboxMarks, OthersMarksAreOutput) {
  Marks marks("mine");
  EXPECT_EQ(marks.take_stdout("\001otherE0"), "\001otherE0\n");
  EXPECT_FALSE(marks.code());
}

TEST(OpenSandboxMarks, SaysWhyNothingStarted) {
  for (auto [tag, start] :
       {std::pair("C", Marks::Start::kNoFolder), std::pair("N", Marks::Start::kNotFound),
        std::pair("X", Marks::Start::kNotExecutable)}) {
    Marks marks("m");
    EXPECT_EQ(marks.take_stdout(std::string("\001m") + tag), "");
    EXPECT_EQ(marks.start(), start);
  }
}

}  // namespace
}  // namespace atl::backends::opensandbox
