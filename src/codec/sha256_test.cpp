#include "codec/sha256.hpp"

#include <array>

#include <gtest/gtest.h>

namespace atl::codec {
namespace {

TEST(Sha256, HasTheDigestsOfTheStandard) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, PartsAddUpToTheWhole) {
  Sha256 sum;
  sum.add(std::string_view("a"));
  sum.add(std::string_view(""));
  sum.add(std::string_view("bc"));
  EXPECT_EQ(sum.hex(), sha256_hex("abc"));
}

// The second test case of RFC 4231.
TEST(Sha256, HasTheHmacOfTheStandard) {
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Sha256, HexKeepsLeadingZeros) {
  EXPECT_EQ(hex(std::array<unsigned char, 3>{0, 0x0f, 0xff}), "000fff");
  EXPECT_EQ(hex({}), "");
}

}  // namespace
}  // namespace atl::codec
