#include "images/entry_path.hpp"

#include <gtest/gtest.h>

namespace atl::images {
namespace {

TEST(EntryPath, IsCleaned) {
  UnpackLimits limits;
  EXPECT_EQ(clean_path("usr/bin/", limits), "usr/bin");
  EXPECT_EQ(clean_path("./usr//./bin", limits), "usr/bin");
  EXPECT_EQ(clean_path("./", limits), "");
  EXPECT_EQ(clean_path("...", limits), "...");
  EXPECT_EQ(clean_path("a..b/..c", limits), "a..b/..c");
}

TEST(EntryPath, RefusesWhatLeaves) {
  UnpackLimits limits;
  for (const char* name : {"/etc", "..", "../a", "a/..", "a/../b", "a/b/../../../c", "./.."}) {
    EXPECT_FALSE(clean_path(name, limits)) << name;
  }
}

TEST(EntryPath, HasLimits) {
  UnpackLimits limits{.path = 20, .depth = 3};
  EXPECT_TRUE(clean_path("a/b/c", limits));
  EXPECT_FALSE(clean_path("a/b/c/d", limits));
  EXPECT_FALSE(clean_path(std::string(21, 'x'), limits));
  EXPECT_FALSE(clean_path(std::string(256, 'x'), UnpackLimits{}));
}

TEST(EntryPath, LinksThatClimbAreSeen) {
  EXPECT_FALSE(link_climbs_out("bin", "usr/bin"));
  EXPECT_FALSE(link_climbs_out("usr/lib/x", "../../etc/y"));
  EXPECT_FALSE(link_climbs_out("a", "/etc"));
  EXPECT_FALSE(link_climbs_out("a/b", "../a/../a/c"));
  EXPECT_TRUE(link_climbs_out("a", ".."));
  EXPECT_TRUE(link_climbs_out("a/b", "../../etc"));
  EXPECT_TRUE(link_climbs_out("a/b", "x/../../../y"));
}

TEST(EntryPath, NamesAreShownSafely) {
  EXPECT_EQ(shown("a\x1b[2Jb\n"), "\"a?[2Jb?\"");
  EXPECT_EQ(shown(std::string(200, 'x')), "\"" + std::string(100, 'x') + "…\"");
}

}  // namespace
}  // namespace atl::images
