#include "backends/srt/leftovers.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace atl::backends::srt {
namespace {

namespace fs = std::filesystem;

class Leftovers : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "atoll-left-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { EXPECT_TRUE(remove_tree(folder_)); }

  static pid_t start_with(const std::string& variable) {
    std::string entry = variable;
    char name[] = "sleep";
    char time[] = "1000";
    char* argv[] = {name, time, nullptr};
    char* env[] = {entry.data(), nullptr};
    pid_t pid = 0;
    EXPECT_EQ(::posix_spawnp(&pid, name, nullptr, nullptr, argv, env), 0);
    return pid;
  }

  std::string folder_;
};

TEST_F(Leftovers, EndsItsOwnProcessesAndNoOthers) {
  pid_t own = start_with(std::string(kMarker) + "=" + folder_);
  pid_t other = start_with(std::string(kMarker) + "=" + folder_ + "x");
  // posix_spawn returns a moment before the new program has its environment.
  while (processes_of(folder_).empty() || processes_of(folder_ + "x").empty()) {
  }
  EXPECT_EQ(processes_of(folder_), std::vector<pid_t>{own});
  EXPECT_TRUE(end_processes(folder_, std::chrono::milliseconds(0)));
  int status = 0;
  EXPECT_EQ(::waitpid(own, &status, 0), own);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(::waitpid(other, nullptr, WNOHANG), 0);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

TEST_F(Leftovers, RemovesWhatItsOwnerClosed) {
  fs::create_directories(folder_ + "/a/b/c");
  std::ofstream(folder_ + "/a/b/file") << "x";
  fs::create_symlink("/etc", folder_ + "/a/link");
  ::chmod((folder_ + "/a/b").c_str(), 0);
  ::chmod((folder_ + "/a").c_str(), 0500);
  EXPECT_TRUE(remove_tree(folder_ + "/a"));
  EXPECT_FALSE(fs::exists(folder_ + "/a"));
  EXPECT_TRUE(fs::exists("/etc/passwd"));
  EXPECT_TRUE(remove_tree(folder_ + "/a"));
}

TEST_F(Leftovers, RemovesGhostsAndNothingElse) {
  std::ofstream(folder_ + "/empty") << "";
  std::ofstream(folder_ + "/full") << "x";
  fs::create_directory(folder_ + "/folder");
  fs::create_directory(folder_ + "/used");
  std::ofstream(folder_ + "/used/file") << "x";
  remove_ghosts({folder_ + "/empty", folder_ + "/full", folder_ + "/folder", folder_ + "/used",
                 folder_ + "/none"});
  EXPECT_FALSE(fs::exists(folder_ + "/empty"));
  EXPECT_FALSE(fs::exists(folder_ + "/folder"));
  EXPECT_TRUE(fs::exists(folder_ + "/full"));
  EXPECT_TRUE(fs::exists(folder_ + "/used/file"));
}

}  // namespace
}  // namespace atl::backends::srt
