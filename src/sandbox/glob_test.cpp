#include "sandbox/glob.hpp"

#include <gtest/gtest.h>

namespace atl::sandbox {
namespace {

TEST(Glob, MatchesAsShellsDo) {
  EXPECT_TRUE(glob_match("*.key", "server.key"));
  EXPECT_TRUE(glob_match("*.key", ".key"));
  EXPECT_FALSE(glob_match("*.key", "server.key.pub"));
  EXPECT_TRUE(glob_match("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(glob_match("a*b*c", "a-b-b"));
  EXPECT_TRUE(glob_match("?.txt", "a.txt"));
  EXPECT_FALSE(glob_match("?.txt", ".txt"));
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_FALSE(glob_match("", "a"));
}

TEST(Glob, Brackets) {
  EXPECT_TRUE(glob_match("[a-c]1", "b1"));
  EXPECT_FALSE(glob_match("[a-c]1", "d1"));
  EXPECT_TRUE(glob_match("[!a-c]1", "d1"));
  EXPECT_FALSE(glob_match("[^a-c]1", "a1"));
  EXPECT_TRUE(glob_match("[]]", "]"));
  EXPECT_TRUE(glob_match("[a-]", "-"));
  EXPECT_TRUE(glob_match("[ä-ü]", "ö"));
  EXPECT_TRUE(glob_match("[unclosed", "[unclosed"));
}

TEST(Glob, QuestionMarkTakesOneCharacterNotOneByte) {
  EXPECT_TRUE(glob_match("?", "ä"));
  EXPECT_TRUE(glob_match("?", "🏝"));
  EXPECT_FALSE(glob_match("??", "ä"));
  EXPECT_TRUE(glob_match("?", "\xff"));
}

TEST(Glob, BackslashMakesLiteral) {
  EXPECT_TRUE(glob_match("\\*", "*"));
  EXPECT_FALSE(glob_match("\\*", "x"));
  EXPECT_FALSE(is_glob("a\\*b"));
  EXPECT_TRUE(is_glob("a*b"));
  EXPECT_EQ(unescaped("a\\*b"), "a*b");
}

TEST(Glob, ManyStarsAreNotExponential) {
  EXPECT_FALSE(glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

}  // namespace
}  // namespace atl::sandbox
