#include "cli/core/json.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

using namespace std::string_view_literals;

std::string one(std::string_view value) {
  JsonWriter json(false);
  json.text(value);
  return std::move(json).finish();
}

TEST(Json, Escapes) {
  EXPECT_EQ(one("a\"b\\c/\n\r\t\b\f"), "\"a\\\"b\\\\c/\\n\\r\\t\\b\\f\"\n");
  EXPECT_EQ(one("\0\x1b\x7f"sv), "\"\\u0000\\u001b\\u007f\"\n");
  EXPECT_EQ(one("€ 𝄞"), "\"€ 𝄞\"\n");
  EXPECT_EQ(one("a\xff"), "\"a\xef\xbf\xbd\"\n");
}

TEST(Json, NestsOnOneLine) {
  JsonWriter json(false);
  json.begin_object().key("a").number(-1).key("b").begin_array().end_array();
  json.key("c")
      .begin_array()
      .boolean(true)
      .null()
      .end_array()
      .key("d")
      .begin_object()
      .end_object()
      .end_object();
  EXPECT_EQ(std::move(json).finish(), "{\"a\":-1,\"b\":[],\"c\":[true,null],\"d\":{}}\n");
}

TEST(Json, IndentsForPeople) {
  JsonWriter json(true);
  std::vector<std::string> words{"x", "y"};
  json.begin_object().key("a").strings(words).key("b").begin_array().end_array().end_object();
  EXPECT_EQ(std::move(json).finish(),
            "{\n  \"a\": [\n    \"x\",\n    \"y\"\n  ],\n  \"b\": []\n}\n");
}

TEST(Json, WritesThousandths) {
  auto text = [](std::int64_t value) {
    JsonWriter json(false);
    json.thousandths(value);
    return std::move(json).finish();
  };
  EXPECT_EQ(text(0), "0\n");
  EXPECT_EQ(text(5), "0.005\n");
  EXPECT_EQ(text(1500), "1.5\n");
  EXPECT_EQ(text(-12340), "-12.34\n");
  EXPECT_EQ(text(2000), "2\n");
}

}  // namespace
}  // namespace atl::cli
