#include "cli/remote/local_files.hpp"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

namespace fs = std::filesystem;

class LocalFiles : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/atoll-local-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }
  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_), {}); }
  static std::string content(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
};

TEST_F(LocalFiles, AFileAppearsWhenItIsWhole) {
  std::ofstream(path("a")) << "old";
  {
    Result<NewFile> file = NewFile::create(path("a"), 0644);
    ASSERT_TRUE(file && file->write("half"));
    EXPECT_EQ(content(path("a")), "old");
  }
  EXPECT_EQ(entries(), 1);
  EXPECT_EQ(content(path("a")), "old");
  Result<NewFile> file = NewFile::create(path("a"), 0644);
  ASSERT_TRUE(file && file->write("whole") && file->commit());
  EXPECT_EQ(content(path("a")), "whole");
  EXPECT_EQ(entries(), 1);
  EXPECT_FALSE(NewFile::create(path("no/such/folder"), 0644));
}

TEST_F(LocalFiles, ATreeAppearsWhenItIsWhole) {
  {
    Result<NewTree> tree = NewTree::create(path("t"));
    ASSERT_TRUE(tree && tree->begin_file("d/a", 0644) && tree->write("x"));
  }
  EXPECT_EQ(entries(), 0);
  Result<NewTree> tree = NewTree::create(path("t"));
  ASSERT_TRUE(tree);
  ASSERT_TRUE(tree->add_folder("empty", 0750));
  ASSERT_TRUE(tree->begin_file("d/a", 0755) && tree->write("one") && tree->write("two"));
  tree->add_link("d/l", "../d/a");
  tree->add_link("out", "../../etc");
  ASSERT_TRUE(tree->commit());
  EXPECT_EQ(content(path("t/d/a")), "onetwo");
  EXPECT_EQ(content(path("t/d/l")), "onetwo");
  EXPECT_TRUE(fs::is_directory(path("t/empty")));
  EXPECT_FALSE(fs::exists(fs::symlink_status(path("t/out"))));
  EXPECT_EQ(tree->left_out(), 1u);
  EXPECT_EQ((fs::status(path("t/d/a")).permissions() & fs::perms::owner_exec),
            fs::perms::owner_exec);
  Result<NewTree> again = NewTree::create(path("t"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), Code::kAlreadyExists);
}

TEST_F(LocalFiles, NamesThatLeadOutAreRefused) {
  Result<NewTree> tree = NewTree::create(path("t"));
  ASSERT_TRUE(tree);
  for (const char* name : {"../x", "/etc/x", "a/../../x", "a//b", ".", "", "a/./b"}) {
    EXPECT_FALSE(tree->begin_file(name, 0644)) << name;
  }
}

// A link in place of a folder cannot take a later link somewhere else.
TEST_F(LocalFiles, ALinkIsNoFolder) {
  Result<NewTree> tree = NewTree::create(path("t"));
  ASSERT_TRUE(tree);
  tree->add_link("a", "b");
  tree->add_link("a/c", "x");
  EXPECT_FALSE(tree->commit());
}

}  // namespace
}  // namespace atl::cli
