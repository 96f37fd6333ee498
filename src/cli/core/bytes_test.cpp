#include "cli/core/bytes.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

using namespace std::string_view_literals;

TEST(Bytes, KnowsUtf8) {
  for (std::string_view good : {""sv, "abc"sv, "\0"sv, "é"sv, "€"sv, "𝄞"sv, "\xf4\x8f\xbf\xbf"sv}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (std::string_view bad : {"\x80"sv, "\xc0\x80"sv, "\xe0\x80\x80"sv, "\xed\xa0\x80"sv,
                               "\xf4\x90\x80\x80"sv, "\xf5"sv, "\xc3"sv, "a\xff"sv, "\xe2\x82"sv}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

TEST(Bytes, RepairsAsUnicodeRecommends) {
  EXPECT_EQ(to_utf8("a\xffz"), "a\xef\xbf\xbdz");
  EXPECT_EQ(to_utf8("\xe2\x82!"), "\xef\xbf\xbd!");            // a cut-off character is one
  EXPECT_EQ(to_utf8("\xc0\x80"), "\xef\xbf\xbd\xef\xbf\xbd");  // an overlong form is two
  EXPECT_EQ(to_utf8("\xf0\x9f\x98"), "\xef\xbf\xbd");
  EXPECT_EQ(to_utf8("ok €"), "ok €");
}

}  // namespace
}  // namespace atl::cli
