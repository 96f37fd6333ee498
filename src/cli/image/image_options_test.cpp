#include "cli/image/image_options.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "cli/core/help.hpp"

namespace atl::cli {
namespace {

Result<ImageOptions> parse(std::vector<std::string_view> words) {
  ImageOptions options;
  ATOLL_CHECK(parse_image_options(words, options));
  return options;
}

TEST(ImageOptions, MayStandAnywhere) {
  for (const std::vector<std::string_view>& words :
       {std::vector<std::string_view>{"import", "--name", "a", "file"},
        {"--name", "a", "import", "file"},
        {"import", "file", "--name=a"}}) {
    Result<ImageOptions> options = parse(words);
    ASSERT_TRUE(options);
    EXPECT_EQ(options->name, "a");
    EXPECT_EQ(options->words, (std::vector<std::string>{"import", "file"}));
  }
}

TEST(ImageOptions, EndAtTheSeparator) {
  Result<ImageOptions> options = parse({"import", "-q", "--", "--name"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->quiet);
  EXPECT_EQ(options->words, (std::vector<std::string>{"import", "--name"}));
  EXPECT_EQ(parse({"import", "-"})->words, (std::vector<std::string>{"import", "-"}));
}

TEST(ImageOptions, AreChecked) {
  EXPECT_EQ(parse({"import", "--max-size", "2g", "x"})->max_size, 2ull << 30);
  EXPECT_FALSE(parse({"import", "--max-size", "much", "x"}));
  EXPECT_FALSE(parse({"ls", "--frobnicate"}));
  EXPECT_FALSE(parse({"ls", "-o", "yaml"}));
}

}  // namespace
}  // namespace atl::cli
