#include "cli/remote/options.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

using Words = std::vector<std::string>;

Result<RemoteOptions> parse(std::span<const Option> table, bool program,
                            std::vector<std::string_view> words) {
  RemoteOptions options;
  ATOLL_CHECK(parse_remote_options(words, table, program, options));
  return options;
}

TEST(RemoteOptions, StandAnywhereBetweenWords) {
  auto options = parse(rm_option_table(), false, {"a", "--yes", "b", "--server", "http://x", "c"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->words, (Words{"a", "b", "c"}));
  EXPECT_TRUE(options->yes);
  EXPECT_EQ(options->server, "http://x");
}

TEST(RemoteOptions, TheProgramsOwnOptionsAreNotOurs) {
  auto options = parse(exec_option_table(), true, {"s1", "-e", "A=1", "ls", "-l", "--timeout"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->words, (Words{"s1", "ls", "-l", "--timeout"}));
  EXPECT_EQ(options->env, Words{"A=1"});
  options = parse(exec_option_table(), true, {"-i", "s1", "--", "-x"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->words, (Words{"s1", "-x"}));
  EXPECT_TRUE(options->interactive);
}

TEST(RemoteOptions, ValuesAreChecked) {
  EXPECT_EQ(parse(ps_option_table(), false, {"--status", "ready,paused"})->states,
            (Words{"ready", "paused"}));
  for (std::vector<std::string_view> wrong : std::vector<std::vector<std::string_view>>{
           {"--label", "x"}, {"--label", "=x"}, {"-o", "xml"}, {"--limit", "many"}, {"--al"}}) {
    auto options = parse(ps_option_table(), false, wrong);
    ASSERT_FALSE(options) << wrong[0];
    EXPECT_EQ(options.error().code(), Code::kInvalidArgument);
  }
  EXPECT_NE(parse(ps_option_table(), false, {"--labl", "a=b"}).error().message().find("--label"),
            std::string::npos);
}

}  // namespace
}  // namespace atl::cli
