#include "cli/run/mounts.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

TEST(MountOptions, TakesThemApart) {
  MountText plain = *parse_mount("./data:/data");
  EXPECT_EQ(plain.source, "./data");
  EXPECT_EQ(plain.target, "/data");
  EXPECT_TRUE(plain.read_only);
  EXPECT_TRUE(parse_mount("/a:/b:ro")->read_only);
  EXPECT_FALSE(parse_mount("/a:/b:rw")->read_only);
  EXPECT_EQ(parse_mount("a:b:/c/:rw")->source, "a:b");
  EXPECT_EQ(parse_mount("a:b:/c/:rw")->target, "/c");
}

TEST(MountOptions, RefusesWhatCannotBeMeant) {
  for (const char* text : {"", "/a", ":/a", "/a:b", "/a:/b:xx", "/a:/b/../c", "/a:/./b", "/a:/",
                           "/a:/proc", "/a:/proc/self", "/a:/dev", "/a:/sys/x", "/a:"}) {
    Result<MountText> result = parse_mount(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code(), Code::kInvalidArgument) << text;
  }
  EXPECT_FALSE(parse_mount("/a:/" + std::string(300, 'x')));
}

TEST(MountOptions, OpensTheSource) {
  Result<sandbox::Mount> mount = open_mount("/usr:/data:ro");
  ASSERT_TRUE(mount);
  EXPECT_TRUE(mount->source);
  EXPECT_EQ(mount->target, "/data");
  EXPECT_EQ(open_mount("/nonexistent/x:/data").error().code(), Code::kNotFound);
  EXPECT_EQ(open_mount("/dev/null:/data").error().code(), Code::kInvalidArgument);
}

TEST(MountOptions, PathsInside) {
  EXPECT_TRUE(check_inside_path("/", "--workdir"));
  EXPECT_TRUE(check_inside_path("/a/b", "--workdir"));
  EXPECT_TRUE(check_inside_path("/a/..b", "--workdir"));
  EXPECT_FALSE(check_inside_path("a", "--workdir"));
  EXPECT_FALSE(check_inside_path("/a/..", "--workdir"));
}

}  // namespace
}  // namespace atl::cli
