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

TEST(Bytes, EncodesBase64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\0"sv), "//4A");
}

TEST(Base64, ComesBack) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
  EXPECT_EQ(from_base64("Zm9v\nYmFy\n"), "foobar");
  for (const char* bad : {"Z", "Zm9", "Zm9v=", "Z===", "Zm=v", "Zm9*", "Zm==Zm9v"}) {
    EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace atl::cli
