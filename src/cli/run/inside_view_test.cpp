#include "cli/run/inside_view.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

TEST(InsideView, ShowsSystemFoldersOnly) {
  Names root = names_inside("/", false, {});
  EXPECT_TRUE(has(root, "usr") && has(root, "workspace"));
  EXPECT_FALSE(has(root, "home") || has(root, "root"));
  EXPECT_TRUE(has(names_inside("/usr", false, {}), "bin"));
  EXPECT_TRUE(has(names_inside("/etc", false, {}), "passwd"));
  EXPECT_EQ(names_inside("/tmp", false, {}), Names{});
  EXPECT_EQ(names_inside("/no/such/folder", false, {}), Names{});
  EXPECT_EQ(names_inside("/etc/passwd", false, {}), Names{});
}

TEST(InsideView, ShowsMountsWhereTheyAre) {
  std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "atoll_inside_view";
  std::filesystem::create_directories(folder / "deep");
  for (const char* name : {"a.env", "deep/b"}) std::ofstream(folder / name) << "x";
  std::vector<MountText> mounts{{.source = "/usr", .target = "/data"},
                                {.source = folder, .target = "/data/x/inner"},
                                {.source = folder, .target = "/workspace"}};
  EXPECT_TRUE(has(names_inside("/", false, mounts), "data"));
  EXPECT_TRUE(has(names_inside("/data", false, mounts), "bin") &&
              has(names_inside("/data", false, mounts), "x"));
  EXPECT_EQ(names_inside("/data/x/inner", false, mounts), (Names{"a.env", "deep"}));
  EXPECT_EQ(names_inside("/workspace/deep", false, mounts), (Names{"b"}));
  std::filesystem::create_directory_symlink("/usr", folder / "link");
  EXPECT_EQ(names_inside("/workspace/link", false, mounts), Names{});
  EXPECT_TRUE(has(names_inside("/workspace/link", true, mounts), "bin"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace atl::cli
