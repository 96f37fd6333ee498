#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace atl {
namespace {

TEST(Utf8, KnowsCharacters) {
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("ä名🏝"));
  EXPECT_TRUE(is_utf8(std::string_view("\0", 1)));
  EXPECT_FALSE(is_utf8("\xff"));
  EXPECT_FALSE(is_utf8("\xc3"));
  EXPECT_FALSE(is_utf8("\xc0\xaf")) << "overlong";
  EXPECT_FALSE(is_utf8("\xe0\x80\xaf")) << "overlong";
  EXPECT_FALSE(is_utf8("\xed\xa0\x80")) << "surrogate";
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80")) << "beyond Unicode";
}

TEST(Utf8, FindsOneBadByteAnywhereInLongText) {
  for (std::size_t at = 0; at < 100; ++at) {
    std::string text(100, 'x');
    EXPECT_TRUE(is_utf8(text));
    text[at] = '\xff';
    EXPECT_FALSE(is_utf8(text)) << at;
    EXPECT_EQ(to_utf8(text), text.substr(0, at) + "\xef\xbf\xbd" + text.substr(at + 1)) << at;
  }
}

TEST(Utf8, ReplacesOnlyWhatIsBad) {
  EXPECT_EQ(to_utf8("ok ä"), "ok ä");
  EXPECT_EQ(to_utf8("a\xff"
                    "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(to_utf8("\xc3"), "\xef\xbf\xbd");
  EXPECT_TRUE(is_utf8(to_utf8("\xf0\x9f\x8f\xff\xc3\x28")));
}

}  // namespace
}  // namespace atl
