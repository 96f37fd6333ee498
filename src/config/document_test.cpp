#include "config/document.hpp"

#include <gtest/gtest.h>

#include "codec/json.hpp"

namespace atl::config {
namespace {

std::string read(std::string_view text) {
  std::expected<Element, Problem> root =
      read_document(text, {.kind = Origin::Kind::kFile, .name = "f"});
  return root ? codec::serialize(to_value(*root)) : root.error().to_string();
}

TEST(ConfigDocument, ReadsPlainJson) {
  EXPECT_EQ(read(R"({"a": [1, -2.5e3, true, null, "x\n\u00e9"], "b": {}})"),
            "{\"a\":[1,-2500,true,null,\"x\\n\xc3\xa9\"],\"b\":{}}");
  EXPECT_EQ(read(" 7 "), "7");
  EXPECT_EQ(read("\xef\xbb\xbf{}"), "{}");
  EXPECT_EQ(read("18446744073709551615"), "18446744073709551615");
}

TEST(ConfigDocument, KnowsCommentsAndTrailingCommas) {
  EXPECT_EQ(read("// top\n{ /* a */ \"a\" /* b */ : // c\n [1, 2, /* d */ ], }// end"),
            R"({"a":[1,2]})");
  EXPECT_EQ(read(R"({"url": "http://x/*y*/", "q": "\"// no"})"),
            R"({"url":"http://x/*y*/","q":"\"// no"})");
  EXPECT_EQ(read("{/* * / ** **/}"), "{}");
}

TEST(ConfigDocument, SaysLineAndColumn) {
  EXPECT_EQ(read("{\n  \"a\": tru\n}"), "f:2:8: not a JSON value; put strings into double quotes");
  EXPECT_EQ(read("{\n  \"é\": 'x'}"), "f:2:8: a value must be here");
  EXPECT_EQ(read("{\r\n\t\"a\" 1}"), "f:2:6: a : is missing after the key");
  EXPECT_EQ(read("{\"a\": 1 \"b\": 2}"), "f:1:9: a , or } is missing");
  EXPECT_EQ(read("[1 2]"), "f:1:4: a , or ] is missing");
  EXPECT_EQ(read("{a: 1}"), "f:1:2: a key in quotes must be here");
  EXPECT_EQ(read("{\"a\": \"x\n\"}"), "f:1:7: a string that begins here has no end");
  EXPECT_EQ(read("{} {}"), "f:1:4: something follows after the end of the document");
  EXPECT_EQ(read("{ /* x\n"), "f:1:3: a comment that begins here has no end");
  EXPECT_EQ(read("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}"), "f:3:2: this key stands in line 1 already");
  EXPECT_EQ(read("{\"a\": \"\\q\"}"),
            "f:1:7: this string holds an escape or a byte that JSON does not know");
}

TEST(ConfigDocument, RefusesWhatEndsEarly) {
  for (std::string_view text : {"", "  ", "{", "[", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "[1",
                                "[1,", "\"", "\"\\", "/", "/*", "/*/", "//", ",", "{,}", "[,]"}) {
    EXPECT_FALSE(read_document(text, {}).has_value()) << text;
  }
}

TEST(ConfigDocument, IsBounded) {
  auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + "1" + std::string(depth, ']');
  };
  EXPECT_TRUE(read_document(nested(kMaxDepth - 1), {}).has_value());
  EXPECT_FALSE(read_document(nested(kMaxDepth), {}).has_value());
  EXPECT_FALSE(read_document(std::string(5000, '['), {}).has_value());
  EXPECT_FALSE(read_document("1" + std::string(kMaxDocument, ' '), {}).has_value());
  std::string many = "[";
  for (std::size_t i = 0; i <= kMaxElements; ++i) many += "1,";
  EXPECT_FALSE(read_document(many + "]", {}).has_value());
}

TEST(ConfigDocument, PointersAreEscapedAndHarmless) {
  EXPECT_EQ(pointer_to("/a", "b/c~d"), "/a/b~1c~0d");
  EXPECT_EQ(pointer_to("", "x\x1b[31m"), "/x?[31m");
  EXPECT_EQ(pointer_to("", std::string(200, 'x')), "/" + std::string(80, 'x') + "…");
}

}  // namespace
}  // namespace atl::config
