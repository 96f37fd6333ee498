#include "model/image_name.hpp"

#include <string>

#include <gtest/gtest.h>

namespace atl::model {
namespace {

TEST(ImageName, Good) {
  const std::string digest = "@sha256:" + std::string(64, 'a');
  for (const std::string& name :
       {std::string("host"), std::string("python:3.11-slim"), std::string("a/b/c"),
        std::string("localhost:5000/team/tool:v1"), std::string("Registry.example/x__y--z.w"),
        std::string("0123abcd"), "team/tool" + digest, "team/tool:v1" + digest,
        std::string("x:Tag_1")}) {
    EXPECT_TRUE(is_image_name(name)) << name;
  }
}

TEST(ImageName, Bad) {
  const std::string nul("a\0b", 3);
  for (const std::string& name : {std::string(),
                                  std::string("A"),
                                  std::string("a b"),
                                  std::string("a\n"),
                                  nul,
                                  std::string("../x"),
                                  std::string("a/../b"),
                                  std::string("./a"),
                                  std::string("/a"),
                                  std::string("a/"),
                                  std::string("a//b"),
                                  std::string("a..b"),
                                  std::string("a___b"),
                                  std::string("-a"),
                                  std::string("a:"),
                                  std::string("a:-x"),
                                  std::string("a:b:c"),
                                  std::string("x:y/z"),
                                  std::string("a@sha256:12"),
                                  std::string("a@b"),
                                  std::string("é"),
                                  std::string("a\x1b[0m"),
                                  std::string(256, 'a'),
                                  "a:" + std::string(129, 'x')}) {
    EXPECT_FALSE(is_image_name(name)) << name;
  }
}

}  // namespace
}  // namespace atl::model
