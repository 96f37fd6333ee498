#include "cli/repl/repl_options.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

Result<ReplOptions> parsed(std::vector<std::string_view> arguments) {
  ReplOptions options;
  ATOLL_CHECK(parse_repl_options(arguments, options));
  return options;
}

TEST(ReplOptions, TakesThoseOfTheSandboxAndItsOwn) {
  Result<ReplOptions> options = parsed({"-l", "bash", "--memory", "256m", "--mount", "a:/b", "-e",
                                        "K=V", "--json", "--save", "out", "--timeout", "5s", "-q"});
  ASSERT_TRUE(options.has_value()) << options.error().message();
  EXPECT_EQ(options->language, "bash");
  EXPECT_EQ(options->memory, 256ull << 20);
  EXPECT_EQ(options->mounts.size(), 1u);
  EXPECT_TRUE(options->json);
  EXPECT_EQ(options->save, "out");
  EXPECT_EQ(options->timeout, std::chrono::seconds(5));
  EXPECT_TRUE(options->quiet);
}

TEST(ReplOptions, RefusesWhatHasNoMeaningHere) {
  for (std::vector<std::string_view> words : {std::vector<std::string_view>{"-c", "1"},
                                              {"-t"},
                                              {"-i"},
                                              {"-o", "json"},
                                              {"script.py"},
                                              {"--", "ls"},
                                              {"--save", ""},
                                              {"--save"},
                                              {"--max-output", "1m"}}) {
    Result<ReplOptions> options = parsed(words);
    EXPECT_FALSE(options.has_value()) << words[0];
  }
}

}  // namespace
}  // namespace atl::cli
