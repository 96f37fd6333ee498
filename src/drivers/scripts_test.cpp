#include "drivers/scripts.hpp"

#include <gtest/gtest.h>

namespace atl::drivers {
namespace {

// The kernel takes 128 KiB as one argument, its end included.
constexpr std::size_t kMaxArgument = 120 << 10;

TEST(Scripts, FitIntoOneArgument) {
  for (std::string_view script : {python_script(), javascript_script(), bash_script()}) {
    EXPECT_GT(script.size(), 1000U);
    EXPECT_LT(script.size(), kMaxArgument);
    EXPECT_EQ(script.find('\0'), std::string_view::npos);
  }
}

TEST(Scripts, AreWhole) {
  EXPECT_NE(javascript_script().find("'controller'(require, module)"), std::string_view::npos);
  EXPECT_TRUE(javascript_script().ends_with("})(globalThis)\n"));
  EXPECT_TRUE(bash_script().starts_with("builtin trap : INT; builtin eval "));
  EXPECT_NE(bash_script().find("\xe2\x80\xa6"), std::string_view::npos) << "bytes beyond ASCII";
}

}  // namespace
}  // namespace atl::drivers
