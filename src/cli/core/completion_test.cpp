#include "cli/core/completion.hpp"

#include <gtest/gtest.h>

#include "cli/core/command.hpp"
#include "cli/core/files.hpp"

namespace atl::cli {
namespace {

TEST(Completion, KnowsThreeShells) {
  EXPECT_TRUE(completion_script("bash"));
  EXPECT_TRUE(completion_script("zsh"));
  EXPECT_TRUE(completion_script("fish"));
  Result<std::string> other = completion_script("csh");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), Code::kInvalidArgument);
}

TEST(Completion, NamesEveryCommandAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    std::string script = *completion_script(shell);
    for (const Command& command : commands()) {
      EXPECT_NE(script.find(command.name), std::string::npos) << shell << ' ' << command.name;
      for (const Option& option : command.options) {
        std::string name =
            (std::string_view(shell) == "fish" ? "-l " : "--") + std::string(option.name);
        EXPECT_NE(script.find(name), std::string::npos) << shell << ' ' << option.name;
      }
    }
  }
}

// `atoll completion SHELL > share/completions/…` makes them again.
TEST(Completion, FilesInShareAreUpToDate) {
  std::string folder = ATOLL_SOURCE_DIR "/share/completions/";
  EXPECT_EQ(read_file(folder + "atoll.bash", 1 << 20, "").value_or(""), bash_completion());
  EXPECT_EQ(read_file(folder + "_atoll", 1 << 20, "").value_or(""), zsh_completion());
  EXPECT_EQ(read_file(folder + "atoll.fish", 1 << 20, "").value_or(""), fish_completion());
}

}  // namespace
}  // namespace atl::cli
