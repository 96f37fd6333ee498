#include "egress/placeholders.hpp"

#include <gtest/gtest.h>

#include "codec/base64.hpp"

namespace atl::egress {
namespace {

using namespace std::string_view_literals;

const std::string kOne = "atoll_secret_00112233445566778899aabbccddeeff";
const std::string kTwo = "atoll_secret_ffeeddccbbaa99887766554433221100";
const SecretValues kValues{{kOne, "tok en"sv}, {kTwo, "p:w"sv}};

TEST(Placeholders, AreNewEachTime) {
  std::string first = new_placeholder();
  EXPECT_EQ(first.size(), kPlaceholderSize);
  EXPECT_NE(first, new_placeholder());
  EXPECT_EQ(replace_placeholders("X", first, {{first, "v"}}).value, "v");
}

TEST(Placeholders, BecomeValuesWhereverTheyStandInAHeader) {
  Replaced out = replace_placeholders("Authorization", "Bearer " + kOne, kValues);
  EXPECT_EQ(out.value, "Bearer tok en");
  EXPECT_TRUE(out.changed);
  EXPECT_FALSE(out.left);
  EXPECT_EQ(replace_placeholders("Cookie", "a=" + kOne + "; b=" + kTwo + ";", kValues).value,
            "a=tok en; b=p:w;");
  EXPECT_EQ(replace_placeholders("X", kOne + kTwo, kValues).value, "tok enp:w");
}

TEST(Placeholders, BecomeValuesInsideBasic) {
  for (std::string_view scheme : {"Basic ", "basic ", "BASIC   "}) {
    std::string value = std::string(scheme) + codec::base64("user:" + kOne);
    Replaced out = replace_placeholders("aUTHORIZATION", value, kValues);
    EXPECT_EQ(out.value, "Basic " + codec::base64("user:tok en"));
    EXPECT_TRUE(out.changed);
  }
  std::string coded = "Basic " + codec::base64("user:" + kOne);
  EXPECT_EQ(replace_placeholders("X-Other", coded, kValues).value, coded);
  EXPECT_EQ(replace_placeholders("Authorization", "Basic !" + kOne, kValues).value,
            "Basic !tok en");
}

TEST(Placeholders, StayWhenTheHostHasNoSuchSecret) {
  Replaced out = replace_placeholders("X", kOne, {});
  EXPECT_EQ(out.value, kOne);
  EXPECT_FALSE(out.changed);
  EXPECT_TRUE(out.left);
  out = replace_placeholders("Authorization", "Basic " + codec::base64("u:" + kOne), {});
  EXPECT_TRUE(out.left);
  EXPECT_FALSE(out.changed);
}

TEST(Placeholders, AreWholeOrNothing) {
  for (const std::string& text :
       {std::string(), std::string("atoll_secret_"), kOne.substr(0, kOne.size() - 1),
        "atoll_secret_zz" + std::string(30, '0'), "ATOLL" + kOne.substr(5)}) {
    Replaced out = replace_placeholders("X", text, kValues);
    EXPECT_EQ(out.value, text);
    EXPECT_FALSE(out.changed || out.left) << text;
  }
  EXPECT_EQ(replace_placeholders("X", "atoll_secret_" + kOne, kValues).value,
            "atoll_secret_tok en");
}

TEST(Placeholders, NeverBecomeAValueThatWouldEndTheHeader) {
  for (std::string_view bad : {"a\r\nX: 1"sv, "a\n"sv, "a\0"sv, "\x7f"sv}) {
    EXPECT_FALSE(fits_header(bad));
    Replaced out = replace_placeholders("X", kOne, {{kOne, bad}});
    EXPECT_EQ(out.value, kOne);
    EXPECT_TRUE(out.left);
  }
  EXPECT_TRUE(fits_header("a\tb é"));
}

TEST(Placeholders, AreFoundInStreams) {
  std::string text = "a=atoll_secret_" + kOne + "&b";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    PlaceholderFinder finder;
    std::string found;
    for (std::size_t at = 0; at < text.size(); at += size) {
      std::string here = finder.take(std::string_view(text).substr(at, size));
      if (found.empty()) found = here;
    }
    EXPECT_EQ(found, kOne) << size;
  }
  PlaceholderFinder none;
  EXPECT_EQ(none.take(kOne.substr(0, 44)), "");
  EXPECT_EQ(none.take("x" + kOne.substr(44)), "");
}

TEST(Placeholders, GrowAHeaderByNoMoreThanThereIsRoomFor) {
  SecretValues large{{kOne, "0123456789"sv}};
  EXPECT_FALSE(replace_placeholders("X", kOne + kOne, large, 20).too_large);
  EXPECT_TRUE(replace_placeholders("X", kOne + kOne, large, 19).too_large);
  // Heads without values are not limited here.
  EXPECT_FALSE(replace_placeholders("X", kTwo + kTwo, large, 20).too_large);
}

TEST(Placeholders, AValueIsNotLookedAtAgain) {
  EXPECT_EQ(replace_placeholders("X", kOne, {{kOne, kTwo}, {kTwo, "never"}}).value, kTwo);
}

}  // namespace
}  // namespace atl::egress
