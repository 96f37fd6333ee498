#include "cli/core/help.hpp"

#include <set>

#include <gtest/gtest.h>

#include "cli/core/files.hpp"

namespace atl::cli {
namespace {

TEST(Help, WrapsAndKeepsIndentedLines) {
  EXPECT_EQ(wrap("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrap("a\n  kept as it is here\nb", 8, 1), "a\n   kept as it is here\n b");
  EXPECT_EQ(wrap("über süß", 80, 0), "über süß");
  EXPECT_EQ(columns("✓ süß"), 5u);
}

TEST(Help, NoLineIsWiderThanTheTerminal) {
  std::vector<const Command*> all{&main_command()};
  for (const Command& command : commands()) all.push_back(&command);
  for (const Command* command : all) {
    std::string text = help_text(*command, 80, false);
    for (std::string_view rest = text; !rest.empty();) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      EXPECT_LE(columns(line), 80u) << line;
      EXPECT_FALSE(line.ends_with(' ')) << '"' << line << '"';
    }
  }
}

TEST(Help, EveryOptionIsExplained) {
  for (const Command& command : commands()) {
    std::string text = help_text(command, 80, false);
    std::set<std::string_view> names;
    std::set<char> shorts;
    for (const Option& option : command.options) {
      EXPECT_NE(text.find("--" + std::string(option.name)), std::string::npos) << option.name;
      EXPECT_FALSE(option.help.empty()) << option.name;
      EXPECT_NE(option.set, nullptr) << option.name;
      EXPECT_TRUE(names.insert(option.name).second) << option.name;
      if (option.short_name != 0) {
        EXPECT_TRUE(shorts.insert(option.short_name).second) << option.name;
      }
    }
  }
}

TEST(Help, MainNamesEveryCommand) {
  std::string text = help_text(main_command(), 80, false);
  for (const Command& command : commands()) {
    EXPECT_NE(text.find("  " + std::string(command.name) + " "), std::string::npos) << command.name;
  }
}

// `atoll help --markdown > docs/cli.md` makes it again.
TEST(Help, DocsAreUpToDate) {
  EXPECT_EQ(read_file(ATOLL_SOURCE_DIR "/docs/cli.md", 1 << 20, "").value_or(""),
            markdown_manual());
}

}  // namespace
}  // namespace atl::cli
