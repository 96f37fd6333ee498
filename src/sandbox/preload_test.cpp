#include "sandbox/preload.hpp"

#include <gtest/gtest.h>

namespace atl::sandbox {
namespace {

TEST(CheckModules, TakesDottedNames) {
  EXPECT_TRUE(check_modules({}));
  EXPECT_TRUE(check_modules({"numpy", "os.path", "_a1.B_2", "x"}));
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "1a", "a.1", "a-b", "a b", "--no-ipython",
                          "a\nb", "a\x1b", "ä", "a/b", "a;b"}) {
    Result<void> checked = check_modules({"os", bad});
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().code(), Code::kInvalidArgument);
  }
}

TEST(CheckModules, IsBounded) {
  EXPECT_TRUE(check_modules(std::vector<std::string>(24, "os")));
  EXPECT_FALSE(check_modules(std::vector<std::string>(25, "os")));
  EXPECT_TRUE(check_modules({std::string(479, 'a')}));
  EXPECT_FALSE(check_modules({std::string(480, 'a')}));
}

}  // namespace
}  // namespace atl::sandbox
