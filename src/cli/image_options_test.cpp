#include "cli/image_options.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "cli/help.hpp"
#include "cli/image_progress.hpp"

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

TEST(ImageProgress, FitsTheLine) {
  std::string half = progress_line(50 << 20, 100 << 20, 80);
  EXPECT_LT(columns(half), 80u);
  EXPECT_NE(half.find(" 50%  50m of 100m"), std::string::npos) << half;
  EXPECT_LE(std::ranges::count(half, '-') - std::ranges::count(half, '#'), 1) << half;
  EXPECT_GE(std::ranges::count(half, '-'), std::ranges::count(half, '#')) << half;
  EXPECT_NE(progress_line(200, 100, 80).find("100%"), std::string::npos);
  EXPECT_EQ(progress_line(3 << 20, 0, 80), "importing  3m");
}

}  // namespace
}  // namespace atl::cli
