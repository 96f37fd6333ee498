#include "images/program_defaults.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

namespace atl::images {
namespace {

namespace fs = std::filesystem;

class ProgramDefaultsTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/atoll-defaults-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    folder_ = pattern;
    mode_t mask = ::umask(022);
    for (const char* name : {"1/tree/app/sub", "1/tree/closed/in", "1/tree/workspace/app",
                             "1/tree/reopened", "2/tree/srv", "2/tree/reopened"}) {
      fs::create_directories(folder_ / name);
    }
    ::umask(mask);
    fs::permissions(folder_ / "1/tree/closed", fs::perms::owner_read);
    fs::permissions(folder_ / "1/tree/reopened", fs::perms::owner_read);
    fs::create_directory_symlink("/app", folder_ / "2/tree/srv/way");
    fs::create_directory_symlink("/nowhere", folder_ / "2/tree/srv/lost");
    for (const char* name : {"1", "2"}) {
      layers_.emplace_back(::open((folder_ / name).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      ASSERT_TRUE(layers_.back());
    }
  }
  void TearDown() override {
    fs::permissions(folder_ / "1/tree/closed", fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  std::string cwd(std::string path) {
    return program_defaults({.workdir = std::move(path)}, layers_).cwd;
  }

  fs::path folder_;
  std::vector<UniqueFd> layers_;
};

TEST_F(ProgramDefaultsTest, TakeTheFoldersThatAreThere) {
  for (const char* path :
       {"/app", "/app/", "/app/sub", "/srv", "/srv/way", "/srv/way/sub", "/reopened", "/tmp"}) {
    EXPECT_EQ(cwd(path), path);
  }
}

TEST_F(ProgramDefaultsTest, LeaveOutFoldersThatNobodyCouldEnter) {
  using namespace std::string_literals;
  for (const std::string& path :
       {""s, "/"s, "app"s, "/app/../srv"s, "/app\0x"s, "/none"s, "/srv/lost"s, "/closed"s,
        "/closed/in"s, "/workspace"s, "/workspace/app"s, "/" + std::string(300, 'a')}) {
    EXPECT_EQ(cwd(path), "") << path;
  }
}

TEST_F(ProgramDefaultsTest, TakeVariablesThatAreSome) {
  using namespace std::string_literals;
  ImageConfig config{.env = {"A=1", "B=x=y", "EMPTY=", "=nothing", "word", "N=\0"s, "A=2"}};
  std::map<std::string, std::string> wanted{{"A", "1"}, {"B", "x=y"}, {"EMPTY", ""}};
  EXPECT_EQ(program_defaults(config, layers_).env, wanted);
}

}  // namespace
}  // namespace atl::images
