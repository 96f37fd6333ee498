#include "base/safe_names.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace atl {
namespace {

TEST(SafeNames, StayBelow) {
  for (const char* name : {"a", "a/b", ".hidden", "..a", "a b"}) {
    EXPECT_TRUE(is_safe_name(name)) << name;
  }
  for (const char* name : {"../x", "/etc/x", "a/../../x", "a//b", ".", "", "a/./b"}) {
    EXPECT_FALSE(is_safe_name(name)) << name;
  }
}

TEST(SafeNames, LinksStayBelow) {
  for (auto [name, target] :
       {std::pair{"a", "b"}, {"d/a", "../b"}, {"d/e/a", "../../b/c"}, {"a", "./b"}}) {
    EXPECT_TRUE(is_safe_link(name, target)) << name << " -> " << target;
  }
  for (auto [name, target] :
       {std::pair{"a", "/b"}, {"a", ".."}, {"d/a", "../../b"}, {"d/a", "x/../y"}, {"a", ""}}) {
    EXPECT_FALSE(is_safe_link(name, target)) << name << " -> " << target;
  }
}

}  // namespace
}  // namespace atl
