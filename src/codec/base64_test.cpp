#include "codec/base64.hpp"

#include <gtest/gtest.h>

namespace atl::codec {
namespace {

using namespace std::string_view_literals;

TEST(Base64, Encodes) {
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
}

TEST(Base64, RefusesWhatIsNotCanonical) {
  for (std::string_view bad :
       {"Z"sv, "YQ"sv, "YQ="sv, "YR=="sv, "Zm9="sv, "Y==="sv, "===="sv, "YQ==YQ=="sv, " YQ="sv,
        "Zm9v="sv, "Zm=v"sv, "Zm9*"sv, "Zm9v\n"sv, "Zm\0v"sv, "Zm9\xff"sv}) {
    EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace atl::codec
