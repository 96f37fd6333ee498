#include "contexts/json_object.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atl::contexts {
namespace {

using testing::ElementsAre;

bool refused(std::string text) { return !JsonObject::parse(std::move(text)).has_value(); }

TEST(JsonObject, HandsOutItsMembers) {
  std::string text = R"( { "a" : "x\ty" , "b":{"a":[1,"]}",{}]} ,"c":-7, "d":null,"e":"" } )";
  Result<JsonObject> object = JsonObject::parse(text);
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ(object->text(), text);
  EXPECT_THAT(object->keys(), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(object->string("a"), "x\ty");
  EXPECT_EQ(object->raw("b"), R"({"a":[1,"]}",{}]})");
  EXPECT_EQ(object->integer("c"), -7);
  EXPECT_EQ(object->raw("d"), "null");
  EXPECT_EQ(object->string("e"), "");
  EXPECT_EQ(object->string("b"), std::nullopt);
  EXPECT_EQ(object->integer("a"), std::nullopt);
  EXPECT_EQ(object->raw("f"), std::nullopt);
}

TEST(JsonObject, UnderstandsEscapes) {
  Result<JsonObject> object = JsonObject::parse(R"({"k\"\u00e9":"\\\"\ud83d\ude00\n","end":"\\"})");
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ(object->string("k\"é"), "\\\"😀\n");
  EXPECT_EQ(object->string("end"), "\\");
}

TEST(JsonObject, AnEmptyOneHasNoMembers) {
  EXPECT_TRUE(JsonObject::parse("{}").value().keys().empty());
  EXPECT_TRUE(JsonObject().keys().empty());
}

TEST(JsonObject, RefusesWhatIsNone) {
  for (const char* text : {"", " ", "[]", "1", "\"a\"", "{", "{\"a\"}", "{\"a\":1,}", "{} {}",
                           "{'a':1}", "{\"a\":\"\xff\"}", "{\"a\":NaN}", "{\"a\":1}x"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
}

TEST(JsonObject, BoundsDepthMembersAndNames) {
  auto nested = [](std::size_t depth) {
    return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_FALSE(refused(nested(JsonObject::kMaxDepth - 1)));
  EXPECT_TRUE(refused(nested(JsonObject::kMaxDepth)));
  EXPECT_TRUE(refused(nested(100'000)));
  auto wide = [](std::size_t count) {
    std::string text = "{\"x\":1";
    for (std::size_t i = 1; i < count; ++i) text += ",\"x\":1";
    return text + "}";
  };
  EXPECT_FALSE(refused(wide(JsonObject::kMaxMembers)));
  EXPECT_TRUE(refused(wide(JsonObject::kMaxMembers + 1)));
  EXPECT_TRUE(refused("{\"" + std::string(JsonObject::kMaxKey, 'k') + "\":1}"));
}

TEST(JsonObject, NumbersMustFit) {
  Result<JsonObject> object =
      JsonObject::parse(R"({"a":9223372036854775807,"b":9223372036854775808,"c":1.5,"d":1e3})");
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ(object->integer("a"), INT64_MAX);
  EXPECT_EQ(object->integer("b"), std::nullopt);
  EXPECT_EQ(object->integer("c"), std::nullopt);
  EXPECT_EQ(object->integer("d"), std::nullopt);
}

}  // namespace
}  // namespace atl::contexts
