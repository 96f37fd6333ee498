#include "cli/remote/cp_plan.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

TEST(CpPlan, WhatIsInASession) {
  for (const char* here : {"a", "./a:b", "/x:y", "dir/a:b", "-", ":x", "../a:b", "."}) {
    EXPECT_TRUE(parse_place(here).is_here()) << here;
    EXPECT_EQ(parse_place(here).path, here);
  }
  EXPECT_TRUE(parse_place("-").is_stream());
  CpPlace place = parse_place("01ab:data/x:y");
  EXPECT_EQ(place.session, "01ab");
  EXPECT_EQ(place.path, "data/x:y");
  EXPECT_EQ(parse_place("01ab:").path, "");
  EXPECT_FALSE(parse_place("01ab:-").is_stream());
}

TEST(CpPlan, Names) {
  EXPECT_EQ(last_part("a/b/"), "b");
  EXPECT_EQ(last_part("/"), "");
  EXPECT_EQ(last_part("x"), "x");
  EXPECT_EQ(joined("", "a"), "a");
  EXPECT_EQ(joined("d/", "a"), "d/a");
  EXPECT_EQ(joined("/tmp", "a"), "/tmp/a");
}

TEST(CpPlan, ListsATreeAndCountsWhatItLeavesOut) {
  namespace fs = std::filesystem;
  char name[] = "/tmp/atoll-tree-XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  fs::path root(name);
  fs::create_directories(root / "d/e");
  fs::create_directories(root / "empty");
  std::ofstream(root / "d/e/x") << "12345";
  std::ofstream(root / "a") << "1";
  fs::create_symlink("/etc", root / "out");
  fs::create_symlink("../..", root / "d/up");
  fs::create_symlink("../a", root / "d/in");
  Result<LocalTree> tree = list_tree(name);
  ASSERT_TRUE(tree);
  ASSERT_EQ(tree->files.size(), 2u);
  EXPECT_EQ(tree->files[0].name, "a");
  EXPECT_EQ(tree->files[1].name, "d/e/x");
  EXPECT_EQ(tree->bytes, 6u);
  EXPECT_EQ(tree->leaving_links, 2u);
  ASSERT_EQ(tree->links.size(), 1u);
  EXPECT_EQ(tree->links[0].name, "d/in");
  EXPECT_EQ(tree->links[0].target, "../a");
  EXPECT_EQ(tree->empty_folders, 1u);
  fs::remove_all(root);
  EXPECT_FALSE(list_tree(name));
}

TEST(CpPlan, Batches) {
  auto names = [](std::vector<LocalFile> files) {
    std::string text;
    for (const auto& batch : in_batches(std::move(files))) {
      for (const LocalFile& file : batch) text += file.name.substr(0, 1);
      text += ' ';
    }
    return text;
  };
  constexpr std::uint64_t kLarge = 40u << 20;
  EXPECT_EQ(names({}), "");
  EXPECT_EQ(names({{"a", 0644, 1}, {"b", 0755, 1}, {"c", 0644, 1}, {"d", 0755, 1}}), "ac bd ");
  EXPECT_EQ(names({{"a", 0644, kLarge}, {"b", 0644, kLarge}, {"c", 0644, 1}}), "a bc ");
  EXPECT_EQ(names({{"a", 0644, 1}, {"b\n", 0644, 1}, {"c", 0644, 1}}), "ac b ");
  EXPECT_EQ(in_batches(std::vector<LocalFile>(1001, {"a", 0644, 1})).size(), 3u);
}

}  // namespace
}  // namespace atl::cli
