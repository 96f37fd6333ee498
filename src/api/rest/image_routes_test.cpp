// Sessions from an image while the image store is locked.
#include <fcntl.h>
#include <sys/file.h>

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/deadline.hpp"
#include "base/unique_fd.hpp"

namespace atl::api::rest::test {
namespace {

using namespace std::chrono_literals;

// What `atoll image import` does while it syncs.
UniqueFd lock_store(const std::string& data_folder) {
  std::filesystem::create_directories(data_folder + "/images");
  std::string path = data_folder + "/images/lock";
  UniqueFd lock(::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(::flock(lock.get(), LOCK_EX), 0);
  return lock;
}

Task<void> import_at_work(Api* api) {
  std::string folder = api->folder + "image-data";
  ::setenv("ATOLL_DATA", folder.c_str(), 1);
  UniqueFd lock = lock_store(folder);
  Reply made = co_await api->call(Method::kPost, "/api/v1/templates",
                                  R"({"id":"imaged","language":"bash","image":"none:1"})");
  EXPECT_EQ(made.status, 201) << made.body;
  Reply session =
      co_await api->call(Method::kPost, "/api/v1/sessions", R"({"template_id":"imaged"})");
  std::string path = "/api/v1/sessions/" + session.at({"id"});
  // Others are answered, and the session waits.
  for (int i = 0; i < 20; ++i) {
    Reply waiting = co_await api->call(Method::kGet, path);
    EXPECT_EQ(waiting.at({"status"}), "creating") << waiting.body;
    co_await async::sleep_for(5ms);
  }
  lock.reset();
  Reply over;
  do {
    co_await async::sleep_for(5ms);
    over = co_await api->call(Method::kGet, path);
  } while (over.at({"status"}) == "creating");
  EXPECT_EQ(over.at({"status"}), "failed") << over.body;
  EXPECT_EQ(over.at({"error", "code"}), "not_found") << over.body;
  ::unsetenv("ATOLL_DATA");
}

TEST(ImageRoutes, AnImportAtWorkDoesNotStopTheServer) { with_api(import_at_work); }

}  // namespace
}  // namespace atl::api::rest::test
