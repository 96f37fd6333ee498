#include "async/unix_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "async/run.hpp"

namespace atl::async {
namespace {

class UnixSocket : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "atoll-unix-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Binds from inside the folder, so that its path may be longer than sun_path.
  UniqueFd listen_in(const std::filesystem::path& folder, int backlog) {
    std::filesystem::create_directories(folder);
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    UniqueFd at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    std::string name = "/proc/self/fd/" + std::to_string(at.get()) + "/s";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(fd.get(), backlog), 0);
    return fd;
  }
  Result<UniqueFd> connect(std::filesystem::path folder, Deadline deadline = kNoDeadline) {
    return run_to_end<Result<UniqueFd>>(
        [&](Executor) { return connect_unix((folder / "s").string(), deadline); });
  }

  std::filesystem::path folder_;
};

TEST_F(UnixSocket, ConnectsBeforeAnybodyAccepts) {
  UniqueFd listener = listen_in(folder_, 1);
  EXPECT_TRUE(connect(folder_).has_value());
}

TEST_F(UnixSocket, TakesPathsLongerThanTheKernelDoes) {
  auto folder = folder_ / std::string(100, 'x') / std::string(100, 'y');
  UniqueFd listener = listen_in(folder, 1);
  EXPECT_TRUE(connect(folder).has_value());
}

TEST_F(UnixSocket, SaysWhenNobodyListens) {
  EXPECT_EQ(connect(folder_).error().code(), Code::kNotFound);
}

TEST_F(UnixSocket, FullBacklogEndsAtTheDeadline) {
  UniqueFd listener = listen_in(folder_, 0);
  Result<UniqueFd> first = connect(folder_);
  EXPECT_TRUE(first.has_value());
  EXPECT_EQ(connect(folder_, deadline_in({})).error().code(), Code::kResourceExhausted);
}

}  // namespace
}  // namespace atl::async
