// The client of a launcher that is late, silent or gone. The test is the launcher: the other end of
// the socket.
#include "backends/native/launcher_client.hpp"

#include <sys/socket.h>

#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "async/task_group.hpp"

namespace atl::backends::native {
namespace {

using async::Executor;
using async::Task;
using engine::LauncherOp;
using engine::LauncherReply;
using engine::LauncherStatus;

constexpr std::chrono::milliseconds kMoment{50};
constexpr LauncherTimes kShort{.life = kMoment, .other = kMoment};

class Line {
 public:
  Line(Executor executor, LauncherTimes times) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    launcher_.reset(ends[1]);
    client_ = std::make_shared<LauncherClient>(executor, UniqueFd(ends[0]), times);
  }

  LauncherClient& client() { return *client_; }
  void hang_up() { launcher_.reset(); }

  // The next request, if it is there already.
  std::optional<engine::RequestHeader> request() {
    auto bytes = std::make_unique<engine::CreateRequest>();
    ssize_t size = ::recv(launcher_.get(), bytes.get(), sizeof *bytes, MSG_DONTWAIT);
    if (size < static_cast<ssize_t>(sizeof bytes->header)) return std::nullopt;
    return bytes->header;
  }

  void reply(LauncherOp op, const char* id, LauncherStatus status = LauncherStatus::kOk,
             int error = 0) {
    LauncherReply reply{.status = status, .op = op, .errno_value = error};
    std::strncpy(reply.id.text.data(), id, reply.id.text.size() - 1);
    EXPECT_EQ(::send(launcher_.get(), &reply, sizeof reply, 0), static_cast<ssize_t>(sizeof reply));
  }

 private:
  UniqueFd launcher_;
  std::shared_ptr<LauncherClient> client_;
};

void run(Task<void> (*body)(Executor)) {
  async::run_to_end<void>([body](Executor executor) { return body(executor); });
}

Task<void> keep(Task<Result<LauncherReply>> task, std::optional<Result<LauncherReply>>* outcome) {
  outcome->emplace(co_await std::move(task));
}

Task<void> watch(LauncherClient* client, bool* gone) {
  co_await client->until_gone();
  *gone = true;
}

template <typename T>
Code code_of(const Result<T>& result) {
  return result ? Code::kInternal : result.error().code();
}

Task<void> silent(Executor executor) {
  Line line(executor, {.other = kMoment});
  auto used = co_await line.client().call(LauncherOp::kUsage, SandboxId("a"));
  EXPECT_EQ(code_of(used), Code::kNoAvailableRuntime);
  // The reply that comes at last is nobody's, and the next call has its own.
  line.reply(LauncherOp::kUsage, "a");
  line.reply(LauncherOp::kDestroy, "b");
  EXPECT_TRUE(co_await line.client().call(LauncherOp::kDestroy, SandboxId("b")));
}

Task<void> late_create(Executor executor) {
  Line line(executor, kShort);
  bool gone = false;
  async::TaskGroup tasks(executor);
  tasks.spawn(watch(&line.client(), &gone));
  engine::CreateRequest request;
  std::strcpy(request.header.id.text.data(), "late");
  auto made = co_await line.client().create(request, {});
  EXPECT_EQ(code_of(made), Code::kNoAvailableRuntime);
  EXPECT_EQ(line.request()->op, LauncherOp::kCreate);
  EXPECT_FALSE(line.request());
  line.reply(LauncherOp::kCreate, "late");
  std::optional<engine::RequestHeader> next;
  while (!(next = line.request())) co_await async::yield_now();
  EXPECT_EQ(next->op, LauncherOp::kDestroy);
  EXPECT_STREQ(next->id.text.data(), "late");
  co_await tasks.join();
}

Task<void> half_a_list(Executor executor) {
  Line line(executor, {.other = 40 * kMoment});  // the second one is in time, on a busy machine too
  line.reply(LauncherOp::kList, "a", LauncherStatus::kListed);
  EXPECT_EQ(code_of(co_await line.client().list()), Code::kNoAvailableRuntime);
  line.reply(LauncherOp::kList, "b", LauncherStatus::kListed);
  line.reply(LauncherOp::kList, "");
  line.reply(LauncherOp::kList, "c", LauncherStatus::kListed);
  line.reply(LauncherOp::kList, "");
  auto listed = co_await line.client().list();
  EXPECT_TRUE(listed);
  if (listed) EXPECT_EQ(*listed, std::vector<SandboxId>{SandboxId("c")});
}

Task<void> ended_twice(Executor executor) {
  Line line(executor, {});
  async::TaskGroup tasks(executor);
  std::optional<Result<LauncherReply>> first, second;
  tasks.spawn(keep(line.client().call(LauncherOp::kDestroy, SandboxId("a")), &first));
  tasks.spawn(keep(line.client().call(LauncherOp::kDestroy, SandboxId("a")), &second));
  line.reply(LauncherOp::kDestroy, "a");
  co_await tasks.wait_idle();
  EXPECT_TRUE(first->has_value());
  EXPECT_TRUE(second->has_value());
}

Task<void> gone_for_all(Executor executor) {
  Line line(executor, {});
  bool gone = false;
  async::TaskGroup tasks(executor);
  tasks.spawn(watch(&line.client(), &gone));
  std::optional<Result<LauncherReply>> waiting;
  tasks.spawn(keep(line.client().call(LauncherOp::kUsage, SandboxId("a")), &waiting));
  line.hang_up();
  co_await tasks.wait_idle();
  EXPECT_TRUE(gone && line.client().is_gone());
  EXPECT_EQ(code_of(*waiting), Code::kNoAvailableRuntime);
  EXPECT_EQ(code_of(co_await line.client().list()), Code::kNoAvailableRuntime);
}

Task<void> reader_leaves(Executor executor) {
  Line line(executor, {.other = kMoment});
  async::TaskGroup tasks(executor);
  std::optional<Result<LauncherReply>> reader, other;
  tasks.spawn(keep(line.client().call(LauncherOp::kUsage, SandboxId("a")), &reader));
  tasks.spawn(keep(line.client().call(LauncherOp::kDestroy, SandboxId("b")), &other));
  while (!reader) co_await async::yield_now();
  EXPECT_EQ(code_of(*reader), Code::kNoAvailableRuntime);
  line.reply(LauncherOp::kDestroy, "b");
  co_await tasks.wait_idle();
  EXPECT_TRUE(other->has_value());
}

Task<void> watcher_leaves(Executor executor) {
  Line line(executor, {});
  bool gone = false;
  async::TaskGroup watching(executor);
  async::TaskGroup tasks(executor);
  std::optional<Result<LauncherReply>> waiting;
  watching.spawn(watch(&line.client(), &gone));
  tasks.spawn(keep(line.client().call(LauncherOp::kDestroy, SandboxId("a")), &waiting));
  co_await watching.join();
  line.reply(LauncherOp::kDestroy, "a");
  co_await tasks.wait_idle();
  EXPECT_TRUE(waiting->has_value());
}

// The buffer has room for the newest while the others still wait for it: they go first.
Task<void> in_order(Executor executor) {
  Line line(executor, {});
  async::TaskGroup tasks(executor);
  std::vector<std::string> asked, came;
  std::list<std::optional<Result<LauncherReply>>> outcomes;
  auto ask = [&](std::string id) {
    engine::CreateRequest request;
    std::strcpy(request.header.id.text.data(), id.c_str());
    tasks.spawn(keep(line.client().create(request, {}), &outcomes.emplace_back()));
    asked.push_back(std::move(id));
  };
  auto take = [&] {
    std::optional<engine::RequestHeader> next = line.request();
    if (next) came.emplace_back(next->id.text.data());
    return next.has_value();
  };
  for (int i = 0; i < 100; ++i) ask("old" + std::to_string(i));
  co_await async::yield_now();
  EXPECT_TRUE(take());
  ask("new");
  while (came.size() < asked.size()) {
    if (!take()) co_await async::yield_now();
  }
  EXPECT_EQ(came, asked);
  for (const std::string& id : asked) line.reply(LauncherOp::kCreate, id.c_str());
  co_await tasks.wait_idle();
}

// Who gives up while waiting for the socket does not hold up the others.
Task<void> sender_leaves(Executor executor) {
  Line line(executor, {.other = kMoment});
  async::TaskGroup tasks(executor);
  std::list<std::optional<Result<LauncherReply>>> outcomes;
  auto ask = [&](const char* id) {
    engine::CreateRequest request;
    std::strcpy(request.header.id.text.data(), id);
    tasks.spawn(keep(line.client().create(request, {}), &outcomes.emplace_back()));
  };
  for (int i = 0; i < 100; ++i) ask("before");
  std::optional<Result<LauncherReply>> impatient;
  tasks.spawn(keep(line.client().call(LauncherOp::kUsage, SandboxId("a")), &impatient));
  ask("after");
  while (!impatient) co_await async::yield_now();
  EXPECT_EQ(code_of(*impatient), Code::kNoAvailableRuntime);
  std::vector<std::string> came;
  while (came.size() < outcomes.size()) {
    std::optional<engine::RequestHeader> next = line.request();
    if (!next) {
      co_await async::yield_now();
      continue;
    }
    EXPECT_EQ(next->op, LauncherOp::kCreate);
    came.emplace_back(next->id.text.data());
    line.reply(LauncherOp::kCreate, came.back().c_str());
  }
  EXPECT_EQ(came.back(), "after");
  co_await tasks.wait_idle();
}

// The next request, once it has come.
Task<engine::RequestHeader> next_request(Line* line) {
  for (;;) {
    if (std::optional<engine::RequestHeader> next = line->request()) co_return *next;
    co_await async::yield_now();
  }
}

Task<void> pause_that_takes_time(Executor executor) {
  Line line(executor, {});
  async::TaskGroup tasks(executor);
  std::optional<Result<LauncherReply>> paused;
  tasks.spawn(keep(line.client().pause(SandboxId("a")), &paused));
  for (int asked = 0; asked < 3; ++asked) {
    EXPECT_EQ((co_await next_request(&line)).op, LauncherOp::kFreeze);
    EXPECT_FALSE(paused);
    bool last = asked == 2;
    line.reply(LauncherOp::kFreeze, "a", last ? LauncherStatus::kOk : LauncherStatus::kFailed,
               last ? 0 : EINPROGRESS);
  }
  co_await tasks.wait_idle();
  EXPECT_TRUE(paused->has_value());
  EXPECT_FALSE(line.request());
}

Task<void> pause_that_never_comes(Executor executor) {
  Line line(executor, {.pause = kMoment});
  async::TaskGroup tasks(executor);
  std::optional<Result<LauncherReply>> paused;
  tasks.spawn(keep(line.client().pause(SandboxId("a")), &paused));
  engine::RequestHeader next = co_await next_request(&line);
  for (; next.op == LauncherOp::kFreeze; next = co_await next_request(&line)) {
    line.reply(LauncherOp::kFreeze, "a", LauncherStatus::kFailed, EINPROGRESS);
  }
  EXPECT_EQ(next.op, LauncherOp::kThaw);
  co_await tasks.wait_idle();
  EXPECT_EQ(code_of(*paused), Code::kResourceExhausted);
}

Task<void> pause_nobody_wants(Executor executor) {
  Line line(executor, {});
  async::TaskGroup tasks(executor);
  std::optional<Result<LauncherReply>> paused;
  tasks.spawn(keep(line.client().pause(SandboxId("a")), &paused));
  EXPECT_EQ((co_await next_request(&line)).op, LauncherOp::kFreeze);
  co_await tasks.join();  // cancels it
  EXPECT_EQ((co_await next_request(&line)).op, LauncherOp::kThaw);
}

// covers: C52
TEST(LauncherClient, RequestsGoInTheOrderTheyCame) { run(&in_order); }
TEST(LauncherClient, ASenderThatGivesUpLeavesTheQueue) { run(&sender_leaves); }
TEST(LauncherClient, ALauncherThatDoesNotAnswer) { run(&silent); }
TEST(LauncherClient, APauseIsAskedForUntilAllStandsStill) { run(&pause_that_takes_time); }
TEST(LauncherClient, APauseThatTakesTooLongIsTakenBack) { run(&pause_that_never_comes); }
TEST(LauncherClient, APauseThatNobodyWaitsForIsTakenBack) { run(&pause_nobody_wants); }
TEST(LauncherClient, ASandboxThatComesTooLateIsEnded) { run(&late_create); }
TEST(LauncherClient, HalfAListIsNotTakenForTheNext) { run(&half_a_list); }
TEST(LauncherClient, OneEndAnswersAllWhoAskedForIt) { run(&ended_twice); }
TEST(LauncherClient, ALauncherThatIsGone) { run(&gone_for_all); }
TEST(LauncherClient, AReaderThatGivesUpLeavesTheReading) { run(&reader_leaves); }
TEST(LauncherClient, AWatcherThatEndsLeavesTheReading) { run(&watcher_leaves); }

}  // namespace
}  // namespace atl::backends::native
