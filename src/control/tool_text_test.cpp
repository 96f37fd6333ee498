#include "control/tool_text.hpp"

#include <gtest/gtest.h>

namespace atl::control {
namespace {

TEST(ToolText, TellsBothStreamsAndTheExitCode) {
  EXPECT_EQ(tool_text("", "", 0), "(no output)");
  EXPECT_EQ(tool_text("out\n", "", 0), "out\n");
  EXPECT_EQ(tool_text("", "err", 0), "STDERR:\nerr");
  EXPECT_EQ(tool_text("out", "err", 0), "out\nSTDERR:\nerr");
  EXPECT_EQ(tool_text("out", "err", 3), "out\nSTDERR:\nerr\n\nExit code: 3");
  EXPECT_EQ(tool_text("", "", 1), "\nExit code: 1");
}

TEST(ToolText, EndsAfterTenThousandCharacters) {
  std::string most(10'000, 'x');
  EXPECT_EQ(tool_text(most, "", 0), most);
  EXPECT_EQ(tool_text(most + "abc", "", 0), most + "\n... (truncated, 3 more chars)");
  EXPECT_EQ(tool_text(most, "", 1), most + "\n... (truncated, 14 more chars)");
}

TEST(ToolText, CountsCharactersAndCutsNone) {
  std::string islands;
  for (int i = 0; i < 10'001; ++i) islands += "🏝";
  std::string text = tool_text(islands, "", 0);
  EXPECT_EQ(text, islands.substr(0, 40'000) + "\n... (truncated, 1 more chars)");
}

}  // namespace
}  // namespace atl::control
