#include "egress/client.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "async/child.hpp"
#include "async/run.hpp"
#include "base/field_error.hpp"
#include "egress/start.hpp"

// With the real program. It needs no powers: nothing is attached that it would have to reach.
namespace atl::egress {
namespace {

using async::Executor, async::Task;

struct Folder {
  Folder() {
    char name[] = "/tmp/egress-client-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

Task<Result<void>> talk(Executor executor, std::string path) {
  auto ignore = [](const std::vector<Refusal>&, std::uint64_t) {};
  async::Deadline deadline = async::deadline_in(std::chrono::seconds(30));
  ATOLL_CO_TRY(std::unique_ptr<Client> client,
               co_await Client::connect(executor, path, ignore, deadline));
  ATOLL_CO_TRY(std::vector<std::string> attached, co_await client->hello());
  EXPECT_TRUE(attached.empty());
  Settings settings{.resolvers = std::vector<std::string>{"192.0.2.1"}};
  ATOLL_CO_CHECK(co_await client->apply(settings));
  Result<void> unknown = co_await client->detach("none");
  EXPECT_EQ(unknown.error().code(), Code::kNotFound);
  Result<Figures> no_figures = co_await client->figures("none");
  EXPECT_EQ(no_figures.error().code(), Code::kNotFound);
  // Descriptors arrive, and are looked at.
  UniqueFd one(::open("/dev/null", O_RDONLY | O_CLOEXEC)), two(::dup(one.get()));
  Result<void> attach = co_await client->attach({.sandbox = "a"}, std::move(one), std::move(two));
  EXPECT_EQ(attach.error().code(), Code::kInvalidArgument);
  settings.trusted = std::vector<std::string>{"nowhere"};
  Result<void> wrong = co_await client->apply(settings);
  EXPECT_EQ(wrong.error().code(), Code::kInvalidValue);
  ATOLL_CO_CHECK(co_await client->end());
  co_await client->wait_closed();
  Result<std::vector<std::string>> late = co_await client->hello();
  EXPECT_EQ(late.error().code(), Code::kBackend);
  co_return Result<void>();
}

TEST(EgressClient, TalksToTheProgramThatItStarted) {
  Folder folder;
  std::string path = folder.path + "/control";
  Result<UniqueFd> listener = listen_at(path);
  ASSERT_TRUE(listener) << listener.error().to_string();
  Result<Child> child =
      start({.program = ATOLL_EGRESS, .client_uid = ::geteuid()}, std::move(*listener));
  ASSERT_TRUE(child) << child.error().to_string();
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  Result<void> talked =
      async::run_to_end<Result<void>>([&](Executor executor) { return talk(executor, path); });
  EXPECT_TRUE(talked) << talked.error().to_string();
  Result<ChildExit> exit = child->reap();
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 0);
}

Task<Result<void>> greet(Executor executor, UniqueFd socket) {
  auto ignore = [](const std::vector<Refusal>&, std::uint64_t) {};
  Client client(executor, std::move(socket), ignore);
  ATOLL_CO_CHECK(co_await client.hello());
  co_return Result<void>();
}

Task<Result<void>> ask_each(Executor executor, const Starter* starter, std::string folder) {
  auto ignore = [](const std::vector<Refusal>&, std::uint64_t) {};
  for (int i = 0; i < 3; ++i) {
    std::string path = folder + "/control";
    ATOLL_CO_TRY(UniqueFd listener, listen_at(path));
    ATOLL_CO_CHECK(starter->start(std::move(listener)));
    async::Deadline deadline = async::deadline_in(std::chrono::seconds(30));
    ATOLL_CO_TRY(std::unique_ptr<Client> client,
                 co_await Client::connect(executor, path, ignore, deadline));
    ATOLL_CO_CHECK(co_await client->hello());
    ATOLL_CO_CHECK(co_await client->end());
    co_await client->wait_closed();
  }
  co_return Result<void>();
}

TEST(EgressStarter, StartsOneAfterTheOther) {
  Folder folder;
  Result<Starter> starter = Starter::make({.program = ATOLL_EGRESS, .client_uid = ::geteuid()});
  ASSERT_TRUE(starter) << starter.error().to_string();
  Result<void> asked = async::run_to_end<Result<void>>(
      [&](Executor executor) { return ask_each(executor, &*starter, folder.path); });
  EXPECT_TRUE(asked) << asked.error().to_string();
}

TEST(EgressClient, ServesTheOneThatItWasStartedFor) {
  Result<ControlPair> pair = control_pair();
  ASSERT_TRUE(pair) << pair.error().to_string();
  Result<Child> child = start({.program = ATOLL_EGRESS, .client_uid = ::geteuid(), .once = true},
                              std::move(pair->listener));
  ASSERT_TRUE(child) << child.error().to_string();
  Result<void> greeted = async::run_to_end<Result<void>>(
      [&](Executor executor) { return greet(executor, std::move(pair->client)); });
  EXPECT_TRUE(greeted) << greeted.error().to_string();
  Result<ChildExit> exit = child->reap();  // its client has gone
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 0);
}

TEST(EgressClient, SaysWhenTheProgramIsMissing) {
  Folder folder;
  Result<ControlPair> pair = control_pair();
  ASSERT_TRUE(pair) << pair.error().to_string();
  Result<Child> child = start({.program = folder.path + "/none", .client_uid = ::geteuid()},
                              std::move(pair->listener));
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().errno_value(), ENOENT);
}

}  // namespace
}  // namespace atl::egress
