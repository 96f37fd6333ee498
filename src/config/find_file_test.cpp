#include "config/find_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "config/document.hpp"
#include "config/test_folder.hpp"

namespace atl::config {
namespace {

std::string found(const Places& places) {
  Result<std::optional<FileText>> file = find_file(places);
  if (!file) return std::string(code_name(file.error().code()));
  return *file ? (*file)->text : "none";
}

TEST(ConfigFile, TheFirstThatIsThere) {
  TestFolder folder;
  Places places{.data = folder.path("data"),
                .home = folder.path("home"),
                .system = folder.path("etc/config.json")};
  EXPECT_EQ(found(places), "none");
  folder.write("etc/config.json", "system");
  EXPECT_EQ(found(places), "system");
  folder.write("home/.atoll/config.json", "home");
  EXPECT_EQ(found(places), "home");
  folder.write("data/config.json", "data");
  EXPECT_EQ(found(places), "data");
  folder.write("own.json", "own");
  places.file = folder.path("own.json");
  EXPECT_EQ(found(places), "own");
}

TEST(ConfigFile, WhatIsNamedMustBeThere) {
  TestFolder folder;
  folder.write("data/config.json", "data");
  Places places{.file = folder.path("none.json"), .data = folder.path("data"), .system = ""};
  EXPECT_EQ(found(places), "not_found");
  places.file = folder.path("data");
  EXPECT_EQ(found(places), "invalid_argument");
}

TEST(ConfigFile, WhatIsInTheWayIsNotPassedOver) {
  TestFolder folder;
  folder.write("data/config.json/x", "");
  folder.write("etc.json", "system");
  EXPECT_EQ(found({.data = folder.path("data"), .system = folder.path("etc.json")}),
            "invalid_argument");
  // A pipe that nobody writes to must not hang the start.
  std::filesystem::create_directory(folder.path("pipe"));
  ASSERT_EQ(::mkfifo(folder.path("pipe/config.json").c_str(), 0600), 0);
  EXPECT_EQ(found({.data = folder.path("pipe"), .system = ""}), "invalid_argument");
}

// It is obeyed before root is given up, and the folder belongs to the server's user.
TEST(ConfigFile, RootObeysOnlyRootInTheServersFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  constexpr uid_t kServer = 61234;
  TestFolder folder;
  std::string path = folder.path("data/config.json");
  Places places{.data = folder.path("data"), .system = ""};
  folder.write("data/config.json", "data");
  EXPECT_EQ(found(places), "data");
  ASSERT_EQ(::chown(path.c_str(), kServer, kServer), 0);
  EXPECT_EQ(found(places), "forbidden");
  ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0646), 0);
  EXPECT_EQ(found(places), "forbidden");
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  ASSERT_EQ(::link(path.c_str(), folder.path("data/name").c_str()), 0);
  EXPECT_EQ(found(places), "forbidden");
  std::filesystem::remove(path);
  std::filesystem::create_symlink("name", path);
  EXPECT_NE(found(places), "data");
  // What is named is the operator's choice.
  places.file = path;
  EXPECT_EQ(found(places), "data");
}

TEST(ConfigFile, OneThatIsTooLargeIsNotReadWhole) {
  TestFolder folder;
  folder.write("big.json", std::string(3 * kMaxDocument, ' '));
  Result<std::optional<FileText>> file = find_file({.file = folder.path("big.json")});
  ASSERT_TRUE(file && *file);
  EXPECT_EQ((*file)->text.size(), kMaxDocument + 1);
  EXPECT_FALSE(load({.file = **file}).has_value());
}

TEST(ConfigFile, DataFolderThatFindsTheFile) {
  EXPECT_EQ(early_data_folder({}, "/d"), "/d");
  EXPECT_EQ(early_data_folder({.environment = {{"ATOLL_DATA", "/e"}}}, "/d"), "/e");
  EXPECT_EQ(
      early_data_folder(
          {.environment = {{"ATOLL_DATA", "/e"}}, .overrides = {{"data", "/o", "--data"}}}, "/d"),
      "/o");
}

TEST(ConfigFile, Home) {
  EXPECT_EQ(expand_home("~/a", "/h"), "/h/a");
  EXPECT_EQ(expand_home("~", "/h"), "/h");
  EXPECT_EQ(expand_home("~x/a", "/h"), "~x/a");
  EXPECT_EQ(expand_home("a/~/b", "/h"), "a/~/b");
  EXPECT_EQ(expand_home("~/a", ""), "~/a");
}

}  // namespace
}  // namespace atl::config
