#include "base/environment_name.hpp"

#include <string>

#include <gtest/gtest.h>

namespace atl {
namespace {

TEST(EnvironmentName, WhatALineCanHold) {
  for (const char* good : {"A", "PATH", "a.b-c", "npm_config_x", "BASH_FUNC_f%%", "\xc3\xa9"}) {
    EXPECT_TRUE(is_environment_name(good)) << good;
  }
  for (const char* bad : {"", "A=B", "A\nB", "A B", "\tA", "A\x7f"}) {
    EXPECT_FALSE(is_environment_name(bad)) << bad;
  }
  EXPECT_FALSE(is_environment_name(std::string_view("A\0B", 3)));
  EXPECT_TRUE(is_environment_name(std::string(kMaxEnvironmentName, 'x')));
  EXPECT_FALSE(is_environment_name(std::string(kMaxEnvironmentName + 1, 'x')));
  EXPECT_TRUE(is_environment_value("two\nlines"));
  EXPECT_FALSE(is_environment_value(std::string_view("a\0", 2)));
}

}  // namespace
}  // namespace atl
