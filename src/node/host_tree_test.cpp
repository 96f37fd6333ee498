#include "node/host_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include <gtest/gtest.h>

namespace atl::node {
namespace {

namespace fs = std::filesystem;
using sandbox::FileInfo;

class HostTreeTest : public testing::Test {
 protected:
  HostTreeTest() { fs::create_directory(tree_path()); }
  ~HostTreeTest() override { fs::remove_all(folder_); }

  std::string tree_path() const { return folder_ + "/tree"; }
  std::string path(const std::string& name) const { return tree_path() + "/" + name; }
  HostTree tree() const { return std::move(*HostTree::open(tree_path(), folder_)); }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  std::string folder_ = [] {
    std::string name = fs::temp_directory_path() / "atoll-host-tree-XXXXXX";
    return std::string(::mkdtemp(name.data()));
  }();
};

constexpr std::int64_t kLongAgo = -1'500'000'001;  // before 1970, with a part of a second

TEST_F(HostTreeTest, WhatIsMadeIsSeen) {
  HostTree tree = this->tree();
  TreeMap made = {
      {"d", {.kind = FileInfo::kDirectory, .mode = 0750}},
      {"d/f", {.kind = FileInfo::kFile, .mode = 0755, .size = 5, .mtime_ns = kLongAgo}},
      {"l", {.kind = FileInfo::kSymlink, .target = "d/f"}},
  };
  ASSERT_TRUE(tree.make("d", made["d"]) && tree.make("l", made["l"]));
  ASSERT_TRUE(tree.begin() && tree.write("12") && tree.write("345") &&
              tree.end("d/f", made["d/f"]));
  EXPECT_EQ(tree.look(), made);
  EXPECT_EQ(content(path("d/f")), "12345");
  ASSERT_TRUE(tree.remove("d", made["d"])) << "a folder with something in it stays";
  EXPECT_EQ(tree.look()->size(), 3u);
  ASSERT_TRUE(tree.remove("d/f", made["d/f"]) && tree.remove("d", made["d"]));
  EXPECT_EQ(tree.look()->size(), 1u);
}

TEST_F(HostTreeTest, TimesThatAHostileGuestNamesStayInRange) {
  HostTree tree = this->tree();
  for (std::int64_t time : {std::numeric_limits<std::int64_t>::min(),
                            std::numeric_limits<std::int64_t>::min() + 999'999'999,
                            std::numeric_limits<std::int64_t>::max()}) {
    TreeEntry file{.kind = FileInfo::kFile, .mode = 0600, .mtime_ns = time};
    // The file system of this folder may hold less than it is told.
    ASSERT_TRUE(tree.begin() && tree.write("1") && tree.end("f", file)) << time;
    ASSERT_TRUE(tree.look()) << time;
  }
  timespec far[] = {{.tv_sec = 253'402'300'799, .tv_nsec = 0},
                    {.tv_sec = 253'402'300'799, .tv_nsec = 999'999'999}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path("f").c_str(), far, 0), 0);
  EXPECT_GT(tree.look()->at("f").mtime_ns, 0);
}

TEST_F(HostTreeTest, WhatIsNotWholeGoes) {
  {
    HostTree tree = this->tree();
    ASSERT_TRUE(tree.begin() && tree.write("half"));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(HostTreeTest, LinksAreNotFollowed) {
  fs::create_directory(folder_ + "/outside");
  std::ofstream(folder_ + "/outside/f") << "mine";
  fs::create_symlink("../outside", path("out"));
  HostTree tree = this->tree();
  EXPECT_FALSE(tree.read("out/f"));
  EXPECT_FALSE(tree.remove("out/f", {}));
  EXPECT_FALSE(tree.make("out/d", {.kind = FileInfo::kDirectory, .mode = 0755}));
  EXPECT_FALSE(tree.make("out", {.kind = FileInfo::kDirectory, .mode = 0755}));
  ASSERT_TRUE(tree.begin() && tree.write("theirs"));
  EXPECT_FALSE(tree.end("out/f", {.mode = 0644}));
  EXPECT_FALSE(tree.end("../outside/f", {.mode = 0644}));
  EXPECT_EQ(tree.look()->size(), 1u) << "what lies behind a link is not in the tree";
  // In place of a link it is written, not through it.
  ASSERT_TRUE(tree.end("out", {.mode = 0644}));
  EXPECT_EQ(content(path("out")), "theirs");
  EXPECT_EQ(content(folder_ + "/outside/f"), "mine");
  // A link that leads out is not made.
  ASSERT_TRUE(tree.make("l", {.kind = FileInfo::kSymlink, .target = "../outside"}));
  EXPECT_FALSE(fs::exists(fs::symlink_status(path("l"))));
}

TEST_F(HostTreeTest, OnlyFilesFoldersAndLinksCount) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(this->tree().look(), TreeMap());
  EXPECT_FALSE(HostTree::open(folder_ + "/none", folder_));
}

}  // namespace
}  // namespace atl::node
