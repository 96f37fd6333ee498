#include "images/reference.hpp"

#include <gtest/gtest.h>

namespace atl::images {
namespace {

TEST(Reference, AddsTheTagAndDropsTheDefaultRegistry) {
  EXPECT_EQ(parse_reference("python"), "python:latest");
  EXPECT_EQ(parse_reference("python:3.12"), "python:3.12");
  EXPECT_EQ(parse_reference(std::string("docker.io/") + "library/python"), "python:latest");
  EXPECT_EQ(parse_reference(std::string("docker.io/") + "team/tool:V1"), "team/tool:V1");
  EXPECT_EQ(parse_reference("registry.example:5000/a/b"), "registry.example:5000/a/b:latest");
}

TEST(Reference, RefusesWhatIsNoName) {
  for (const char* text : {"",     ":",     "a:",   ":b",          "A",          "a b", "../x",
                           "/a",   "a/",    "a//b", "a/../b",      ".a",         "a.",  "a:-b",
                           "a:.b", "a:b:c", "a\n",  "host:port/a", "a@sha256:0", "-a",  "a/-b"}) {
    EXPECT_FALSE(parse_reference(text)) << text;
  }
  // The file that an image is kept in has a name, too.
  std::string longest(240 - 9, 'a');
  ASSERT_TRUE(parse_reference(longest));
  EXPECT_EQ(encode_reference(*parse_reference(longest)).size(), 240u);
  EXPECT_FALSE(parse_reference(longest + "a"));
  std::string deep = "a";
  for (int i = 0; i < 60; ++i) deep += "/a";
  EXPECT_FALSE(parse_reference(deep));
  EXPECT_FALSE(parse_reference("a:" + std::string(129, 'b')));
}

TEST(Reference, BecomesAFileNameAndNothingElse) {
  EXPECT_EQ(encode_reference("team/tool:v1"), "team%2Ftool%3Av1");
  EXPECT_EQ(encode_reference("../x"), "%2E.%2Fx");
  EXPECT_EQ(encode_reference("a%2Fb"), "a%252Fb");
}

TEST(Reference, KnowsDigests) {
  std::string hex(64, 'a');
  EXPECT_EQ(digest_hex("sha256:" + hex), hex);
  EXPECT_EQ(digest_hex("sha512:" + hex), "");
  EXPECT_EQ(digest_hex("sha256:" + hex + "a"), "");
  EXPECT_EQ(digest_hex("sha256:" + std::string(64, 'A')), "");
  EXPECT_EQ(digest_hex("sha256:../" + std::string(61, 'a')), "");
}

}  // namespace
}  // namespace atl::images
