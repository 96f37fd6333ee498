#include "node/workspace_names.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "node/workspaces.hpp"

namespace atl::node {
namespace {

namespace fs = std::filesystem;

TEST(FolderName, AsTheContractSays) {
  EXPECT_EQ(folder_name("chat:1"), "chat_1");
  EXPECT_EQ(folder_name("chat_1"), "chat%5F1");
  EXPECT_EQ(folder_name("100%"), "100%25");
  EXPECT_EQ(folder_name("a/b"), "a%2Fb");
  EXPECT_EQ(folder_name(".."), "%2E.");
  EXPECT_EQ(folder_name("@x"), "%40x");
  EXPECT_EQ(folder_name("AbC.d"), "AbC.d");
  EXPECT_EQ(folder_name(""), "%");
  EXPECT_EQ(folder_name("a b.c-ü"), "a b.c-ü");
  EXPECT_EQ(Workspaces::name_of("../t", "k:1"), "%2E.%2Ft/k_1");
}

// covers: C49
// Every text of up to three of the bytes that mean something, and long ones.
TEST(FolderName, NoTwoTextsShareOne) {
  const std::string bytes = std::string(":_%/.@~-a5F2 \n", 14) + std::string("\0\x7f", 2);
  std::map<std::string, std::string> names;
  std::function<void(std::string)> try_all = [&](std::string text) {
    std::string name = folder_name(text);
    auto [found, is_new] = names.emplace(name, text);
    EXPECT_TRUE(is_new || found->second == text) << name;
    EXPECT_EQ(name.find('/'), std::string::npos);
    EXPECT_EQ(name.find('\0'), std::string::npos);
    EXPECT_NE(name[0], '.') << name;
    EXPECT_FALSE(name.starts_with("%~")) << name;
    if (text.size() >= 3) return;
    for (char c : bytes) try_all(text + c);
  };
  try_all("");
  for (std::size_t size : {199u, 200u, 201u, 256u}) {
    for (char c : {'x', '_', ':', '%'}) try_all("yy" + std::string(size - 2, c));
  }
  for (const auto& [name, text] : names) EXPECT_LE(name.size(), 200u);
  // What a long name looks like is not the name of a short text.
  std::string looks_long = folder_name(std::string(256, 'x'));
  EXPECT_NE(folder_name(looks_long), looks_long);
}

class Migration : public testing::Test {
 protected:
  Migration() {
    char name[] = "/tmp/atoll-workspaces-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~Migration() override { fs::remove_all(folder_); }

  void put(const std::string& path) {
    fs::create_directories(folder_ + "/" + path);
    std::ofstream(folder_ + "/" + path + "/f") << path;
  }
  // Where the file of each folder is now: what it says to where it is.
  std::map<std::string, std::string> found() {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (!entry.is_regular_file() || entry.path().filename() != "f") continue;
      std::string says;
      std::ifstream(entry.path()) >> says;
      all[says] = fs::relative(entry.path().parent_path(), folder_).string();
    }
    return all;
  }
  void migrate(const std::set<std::string>& tenants = {"default", "other", "a:b"}) {
    auto done = migrate_workspaces(folder_, tenants);
    EXPECT_TRUE(done) << done.error().to_string();
  }

  std::string folder_;
};

// covers: C49
TEST_F(Migration, EveryFolderComesToItsTenant) {
  put("mine");
  put("default");  // a key that is called like a tenant
  put("chat_1");
  put("a%2Fb");
  put("@other/k");
  put("@a_b/k");
  migrate();
  std::map<std::string, std::string> expected{
      {"mine", "default/mine"},   {"default", "default/default"}, {"chat_1", "default/%~chat_1"},
      {"a%2Fb", "default/a%2Fb"}, {"@other/k", "other/k"},        {"@a_b/k", "a_b/k"}};
  EXPECT_EQ(found(), expected);
  EXPECT_FALSE(fs::exists(folder_ + "/.old-layout"));
  // Either key finds what was theirs together.
  EXPECT_EQ(unclaimed_name(folder_name("chat:1")), "%~chat_1");
  EXPECT_EQ(unclaimed_name(folder_name("chat_1")), "%~chat_1");
  migrate();
  put("mine");  // by now this is a tenant
  migrate();
  expected["mine"] = "mine";
  EXPECT_EQ(found()["default"], "default/default");
}

TEST_F(Migration, ALongNameIsFoundByItsSum) {
  std::string key = "team_" + std::string(250, 'x');
  std::string name = folder_name(key);
  std::string sum = name.substr(name.find("%-") + 2);
  put(key.substr(0, 100) + "%" + sum);
  migrate();
  EXPECT_EQ(found().begin()->second, "default/" + unclaimed_name(name));
}

// Two tenants had one folder: nobody can say whose files those are, so nobody gets them.
TEST_F(Migration, WhatTwoTenantsSharedStaysAside) {
  put("@a_b/k");
  put("@x_y/k");  // of no tenant that is known
  migrate({"default", "a:b", "a_b"});
  EXPECT_EQ(found()["@a_b/k"], ".old-layout/@a_b/k");
  EXPECT_EQ(found()["@x_y/k"], ".old-layout/@x_y/k");
  migrate({"default", "a_b"});
  EXPECT_EQ(found()["@a_b/k"], ".old-layout/@a_b/k") << "once only";
}

// At every point that a crash can split it.
TEST_F(Migration, GoesOnWhereItWasInterrupted) {
  const std::set<std::string> expected{"default/default", "default/one", "default/two", "other/k"};
  auto check = [&](const char* when) {
    migrate();
    std::set<std::string> places;
    for (const auto& [says, place] : found()) places.insert(place);
    EXPECT_EQ(places, expected) << when;
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  };
  put(".collecting/default");
  put(".collecting/one");
  put("two");
  put("@other/k");
  check("while they are collected");
  put(".old-layout/default");
  put(".old-layout/one");
  put(".old-layout/two");
  put(".old-layout/@other/k");
  check("when all are");
  put("default/one");  // already a tenant's folder
  put(".old-layout/default");
  put(".old-layout/two");
  put(".old-layout/@other/k");
  check("while they are spread");
  put("default/one");
  put("default/default");
  put("default/two");
  put("other/k");
  fs::create_directory(folder_ + "/.old-layout");
  check("before it is noted");
}

TEST_F(Migration, WhatIsInTheWayIsNotReplaced) {
  put(".old-layout/one");
  put("default/one");
  std::ofstream(folder_ + "/.old-layout/stray") << "no folder";
  migrate();
  auto all = found();
  EXPECT_EQ(all["default/one"], "default/one");
  EXPECT_EQ(all[".old-layout/one"], ".old-layout/one");
  EXPECT_TRUE(fs::exists(folder_ + "/.old-layout/stray"));
}

TEST_F(Migration, NothingIsMadeOfNothing) {
  fs::remove_all(folder_);
  migrate();
  EXPECT_TRUE(found().empty());
  put("default/k");
  migrate();
  EXPECT_EQ(found()["default/k"], "default/k");
}

}  // namespace
}  // namespace atl::node
