// What was acknowledged is there: after a restart, and after a kill at any moment.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <random>

#include <boost/asio/this_coro.hpp>

#include "async/task_group.hpp"
#include "base/unique_fd.hpp"
#include "store/conformance/deed.hpp"
#include "store/conformance/harness.hpp"

extern char** environ;

namespace atl::store {
namespace {

class Durability : public StoreCase {};

TEST_F(Durability, Restart) {
  std::vector<SessionId> ids;
  for (std::uint64_t i = 0; i < 10; ++i) {
    ids.push_back(SessionId::make());
    must(wait(store().write(make_deed(ids.back(), i))));
    if (i % 5 == 4) reopen();
  }
  for (const SessionId& id : ids) EXPECT_EQ(wait(missing_of_deed(&store(), id)), "");
}

// The program store_writer, until it is killed.
class WriterProcess {
 public:
  WriterProcess(const std::string& url, const std::string& folder) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    from_.reset(ends[0]);
    UniqueFd to(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, to.get(), STDOUT_FILENO);
    std::string program = ATOLL_STORE_WRITER;
    std::array<char*, 4> argv = {program.data(), const_cast<char*>(url.c_str()),
                                 const_cast<char*>(folder.c_str()), nullptr};
    int error = ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("posix_spawn");
  }
  WriterProcess(const WriterProcess&) = delete;
  WriterProcess& operator=(const WriterProcess&) = delete;
  ~WriterProcess() { kill(); }

  // Until that many ids were printed, or the end.
  void read_ids(std::size_t count) {
    std::array<char, 4096> buffer;
    while (ids.size() < count) {
      ssize_t got = ::read(from_.get(), buffer.data(), buffer.size());
      if (got <= 0) return;
      rest_.append(buffer.data(), static_cast<std::size_t>(got));
      for (std::size_t end; (end = rest_.find('\n')) != std::string::npos;) {
        ids.push_back(rest_.substr(0, end));
        rest_.erase(0, end + 1);
      }
    }
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  std::vector<std::string> ids;

 private:
  pid_t pid_ = -1;
  UniqueFd from_;
  std::string rest_;
};

TEST_F(Durability, KilledAtAnyMoment) {
  std::random_device device;
  unsigned seed = device();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 6; ++round) {
    close();
    WriterProcess writer(url_, folder_.path());
    writer.read_ids(1 + random() % 200);
    writer.kill();
    writer.read_ids(static_cast<std::size_t>(-1));  // what was still in the pipe
    ASSERT_FALSE(writer.ids.empty());
    open();
    for (const std::string& id : writer.ids) {
      ASSERT_EQ(wait(missing_of_deed(&store(), SessionId(id))), "")
          << "acknowledged, round " << round;
    }
  }
  // What was not acknowledged happened whole or not at all.
  Page page{.limit = 1000};
  std::size_t in_files = 0;
  for (;;) {
    std::vector<model::Session> rows = must(wait(store().sessions({.tenant = "deeds"}, page)));
    if (rows.empty()) break;
    for (const model::Session& row : rows) {
      ASSERT_EQ(wait(missing_of_deed(&store(), row.id)), "");
      if (std::stoull(row.labels.at("number")) % 4 == 0) ++in_files;
    }
    page.after = rows.back().id.str();
  }
  EXPECT_EQ(output_files(), in_files) << "orphans of the killed went at the start";
}

async::Task<void> write_and_read(Store* store, std::uint64_t number, std::size_t* done) {
  SessionId id = SessionId::make();
  Result<void> written = co_await store->write(make_deed(id, number));
  EXPECT_EQ(code_of(written), Code::kOk);
  std::string missing = co_await missing_of_deed(store, id);
  EXPECT_EQ(missing, "") << "a read began after the write had returned";
  ++*done;
}

async::Task<void> write_refused(Store* store, std::size_t* done) {
  std::vector<Change> changes = make_deed(SessionId::make(), 1);
  changes.emplace_back(AddTemplate{{.id = "taken"}});
  Result<void> written = co_await store->write(std::move(changes));
  EXPECT_EQ(code_of(written), Code::kAlreadyExists);
  ++*done;
}

async::Task<void> many_at_once(Store* store, std::size_t* done) {
  async::TaskGroup group(co_await boost::asio::this_coro::executor);
  for (std::uint64_t i = 0; i < 300; ++i) {
    group.spawn(write_and_read(store, i, done));
    if (i % 10 == 0) group.spawn(write_refused(store, done));
  }
  co_await group.wait_idle();
}

TEST_F(Durability, ManyAtOnceAndTheRefusedAlone) {
  must(write(PutTemplate{{.id = "taken"}}));
  std::size_t done = 0;
  wait(many_at_once(&store(), &done));
  EXPECT_EQ(done, 330u);
  EXPECT_EQ(must(wait(store().sessions({}, {.limit = 1000}))).size(), 300u);
}

}  // namespace
}  // namespace atl::store
