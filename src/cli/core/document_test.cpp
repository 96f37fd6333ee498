#include "cli/core/document.hpp"

#include <gtest/gtest.h>

#include "codec/json.hpp"

namespace atl::cli {
namespace {

std::string yaml(std::string_view json) { return yaml_text(codec::parse(json).value()); }

TEST(Yaml, ObjectsAndLists) {
  EXPECT_EQ(yaml(R"({"id":"a","config":{"env":{},"m":1.5},"list":[1,"b",[],[2,3]],"no":null,
                     "rows":[{"x":1,"w":{"z":true}},{"x":2}]})"),
            "id: a\n"
            "config:\n"
            "  env: {}\n"
            "  m: 1.5\n"
            "list:\n"
            "- 1\n"
            "- b\n"
            "- []\n"
            "-\n"
            "  - 2\n"
            "  - 3\n"
            "\"no\": null\n"
            "rows:\n"
            "- x: 1\n"
            "  w:\n"
            "    z: true\n"
            "- x: 2\n");
}

TEST(Yaml, TopLevelOfAnyKind) {
  EXPECT_EQ(yaml("[]"), "[]\n");
  EXPECT_EQ(yaml("{}"), "{}\n");
  EXPECT_EQ(yaml("7"), "7\n");
  EXPECT_EQ(yaml("[1,2]"), "- 1\n- 2\n");
}

TEST(Yaml, TextThatCouldBeSomethingElseIsQuoted) {
  for (const char* text :
       {"",   "1",  "1.5",  "true", "No", "null",       "~",    "- a", "a: b", "a #b", "{x}",
        " a", "a ", "x\ny", "%a",   "@a", "2026-01-01", "0x1f", "*a",  "&a",   "!a"}) {
    std::string json = codec::serialize(boost::json::string(text));
    EXPECT_EQ(yaml(json), json + "\n") << text;
  }
  for (const char* text : {"ready", "/workspace/a.py", "python-default", "it is so", "a_b"}) {
    EXPECT_EQ(yaml(codec::serialize(boost::json::string(text))), std::string(text) + "\n");
  }
}

TEST(JsonText, OneLineOrIndented) {
  auto document = codec::parse(R"({"a":[1,2],"b":[{"c":"x"}]})").value();
  EXPECT_EQ(json_text(document, false), "{\"a\":[1,2],\"b\":[{\"c\":\"x\"}]}\n");
  EXPECT_EQ(json_text(document, true),
            "{\n  \"a\": [1,2],\n  \"b\": [\n    {\n      \"c\": \"x\"\n    }\n  ]\n}\n");
}

}  // namespace
}  // namespace atl::cli
