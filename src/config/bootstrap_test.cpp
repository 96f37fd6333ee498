#include "config/bootstrap.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "config/test_folder.hpp"

namespace atl::config {
namespace {

// "target<-source …", or the code of the failure.
std::string plan(const BootstrapConfig& config, const std::string& folder,
                 BootstrapLimits limits = {}) {
  Result<BootstrapPlan> made = plan_bootstrap(config, folder, "/home", limits);
  if (!made) return std::string(code_name(made.error().code()));
  std::string out;
  for (const BootstrapFile& file : made->files) {
    out += (out.empty() ? "" : " ") + file.target + "<-" + file.source;
  }
  for (const std::string& line : made->skipped) out += "\n" + line;
  return out;
}

// covers: C36
TEST(Bootstrap, TheInitFolderElseTheFiles) {
  TestFolder folder;
  folder.write("A.md", "a");
  folder.write("sub/B.md", "b");
  folder.write("other", "");
  BootstrapConfig config{.init_dir = "init", .files = {"A.md", "sub/B.md", "missing"}};
  EXPECT_EQ(plan(config, folder.root()), "A.md<-A.md sub/B.md<-sub/B.md");
  folder.write("init/x/y", "1");
  folder.write("init/z", "2");
  EXPECT_EQ(plan(config, folder.root()), "x/y<-init/x/y z<-init/z");
  config.init_dir = "";
  EXPECT_EQ(plan(config, folder.root()), "A.md<-A.md sub/B.md<-sub/B.md");
  config.init_dir = folder.path("init");
  EXPECT_EQ(plan(config, folder.path("none")), "x/y<-x/y z<-z");
  config.init_dir = "~/none";
  EXPECT_EQ(plan(config, folder.root()), "A.md<-A.md sub/B.md<-sub/B.md");
}

// covers: C36
TEST(Bootstrap, SkillsAlways) {
  TestFolder folder;
  folder.write("skills/s/SKILL.md", "new");
  EXPECT_EQ(plan({}, folder.root()), "skills/s/SKILL.md<-skills/s/SKILL.md");
  folder.write("init/skills/s/SKILL.md", "old one");
  folder.write("init/skills/t", "kept");
  EXPECT_EQ(plan({}, folder.root()),
            "skills/s/SKILL.md<-skills/s/SKILL.md skills/t<-init/skills/t");
}

TEST(Bootstrap, NothingThere) {
  TestFolder folder;
  EXPECT_EQ(plan({}, folder.root()), "");
  EXPECT_EQ(plan({}, folder.path("none")), "");
}

TEST(Bootstrap, LinksDoNotLeadOut) {
  TestFolder folder;
  folder.write("outside/secret", "x");
  folder.write("in/shared/f", "x");
  folder.write("in/skills/real", "x");
  folder.link("in/skills/file", folder.path("outside/secret"));
  folder.link("in/skills/folder", "../../outside");
  folder.link("in/skills/proc", "/proc/self/root/etc/passwd");
  folder.link("in/skills/gone", "nowhere");
  folder.link("in/skills/loop", "loop");
  folder.link("in/skills/inside", "../shared");
  EXPECT_EQ(plan({}, folder.path("in")),
            "skills/inside/f<-skills/inside/f skills/real<-skills/real\n"
            "skills/file: leads out of the folder\n"
            "skills/folder: leads out of the folder\n"
            "skills/gone: leads nowhere\n"
            "skills/loop: is a link without an end\n"
            "skills/proc: leads out of the folder");
  folder.link("in/init", "../outside");
  EXPECT_EQ(plan({}, folder.path("in")), "forbidden");
  EXPECT_EQ(plan({.init_dir = "../outside"}, folder.path("in")), "forbidden");
  EXPECT_EQ(plan({.init_dir = "", .files = {"../outside/secret"}}, folder.path("in")),
            "invalid_argument");
}

TEST(Bootstrap, CirclesEnd) {
  TestFolder folder;
  folder.write("skills/a/f", "x");
  folder.link("skills/a/up", "..");
  EXPECT_EQ(plan({}, folder.root()),
            "skills/a/f<-skills/a/f\nskills/a/up: leads back to a folder around it");
}

TEST(Bootstrap, OnlyFilesAndFolders) {
  TestFolder folder;
  folder.write("skills/f", "x");
  ASSERT_EQ(::mkfifo(folder.path("skills/pipe").c_str(), 0600), 0);
  EXPECT_EQ(plan({}, folder.root()),
            "skills/f<-skills/f\nskills/pipe: is neither a file nor a folder");
  EXPECT_EQ(plan({.init_dir = "", .files = {"skills"}}, folder.root()),
            "skills/f<-skills/f\nskills: is not a file\n"
            "skills/pipe: is neither a file nor a folder");
  folder.write("init", "a file");
  EXPECT_NE(plan({}, folder.root()), plan({.init_dir = ""}, folder.root()));
}

TEST(Bootstrap, IsBounded) {
  TestFolder folder;
  for (const char* name : {"1", "2", "3"}) folder.write("skills/" + std::string(name), "12345");
  EXPECT_EQ(plan({}, folder.root(), {.files = 2}), "too_large");
  EXPECT_EQ(plan({}, folder.root(), {.bytes = 14}), "too_large");
  EXPECT_NE(plan({}, folder.root(), {.files = 3, .bytes = 15}), "too_large");
  folder.write("skills/a/b/c", "");
  EXPECT_EQ(plan({}, folder.root(), {.depth = 1}), "too_large");
  EXPECT_NE(plan({}, folder.root(), {.depth = 2}), "too_large");
}

TEST(Bootstrap, AFileReplacedByALinkIsNotOpened) {
  TestFolder folder;
  folder.write("in/skills/f", "good");
  folder.write("secret", "bad");
  ASSERT_EQ(::chmod(folder.path("in/skills/f").c_str(), 0755), 0);
  Result<BootstrapPlan> made = plan_bootstrap({}, folder.path("in"));
  ASSERT_TRUE(made);
  ASSERT_EQ(made->files.size(), 1u);
  EXPECT_TRUE(made->files[0].executable);
  EXPECT_EQ(made->files[0].size, 4u);
  Result<UniqueFd> opened = open_bootstrap_file(made->files[0]);
  ASSERT_TRUE(opened);
  char text[8];
  EXPECT_EQ(::read(opened->get(), text, sizeof text), 4);
  ASSERT_EQ(::unlink(folder.path("in/skills/f").c_str()), 0);
  folder.link("in/skills/f", "../../secret");
  EXPECT_FALSE(open_bootstrap_file(made->files[0]));
  ASSERT_EQ(::unlink(folder.path("in/skills/f").c_str()), 0);
  ASSERT_EQ(::mkfifo(folder.path("in/skills/f").c_str(), 0600), 0);
  EXPECT_FALSE(open_bootstrap_file(made->files[0]));
}

}  // namespace
}  // namespace atl::config
