// A server that stops while an image import holds the lock of the image store.
#include <fcntl.h>
#include <sys/file.h>

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "base/unique_fd.hpp"
#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using async::Task;
using model::SessionState;

// Leaves a session behind that waits for the lock.
Task<void> waiting(Plane* plane) {
  model::TemplateSpec spec{.image = "none:1", .language = "bash"};
  auto added = co_await plane->control->templates().add({}, "imaged", spec);
  EXPECT_TRUE(added.has_value()) << added.error().to_string();
  auto made = co_await plane->control->session_maker().create({}, {.template_id = "imaged"});
  EXPECT_TRUE(made.has_value()) << made.error().to_string();
  for (int i = 0; i < 100; ++i) co_await async::yield_now();
  auto row = co_await plane->control->sessions().get({}, made->value.id);
  EXPECT_EQ(row->state, SessionState::kCreating);
}

class ImageWait : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() / "atoll-images-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    ::setenv("ATOLL_DATA", folder_.c_str(), 1);
    std::filesystem::create_directories(folder_ + "/images");
    std::string path = folder_ + "/images/lock";
    lock_.reset(::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::flock(lock_.get(), LOCK_EX), 0);
  }
  void TearDown() override {
    ::unsetenv("ATOLL_DATA");
    std::filesystem::remove_all(folder_);
  }

  std::string folder_;
  UniqueFd lock_;
};

TEST_F(ImageWait, TheServerStopsAllTheSame) { with_control(waiting); }

TEST_F(ImageWait, TheNextServerMakesTheSession) {
  PlaneWish wish;
  wish.control.cleanup_on_exit = false;
  bool failed = false;
  wish.on_write = [&failed](const std::vector<store::Change>* changes) -> Task<Result<void>> {
    for (const store::Change& change : *changes) {
      const auto* put = std::get_if<store::PutSession>(&change);
      failed |= put != nullptr && put->row.state == SessionState::kFailed;
    }
    return []() -> Task<Result<void>> { co_return Result<void>(); }();
  };
  with_control(waiting, std::move(wish));
  EXPECT_FALSE(failed) << "it is still creating in the store";
}

}  // namespace
}  // namespace atl::control::test
