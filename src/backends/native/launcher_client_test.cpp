// The client of a launcher that is late, silent or gone. The test is the launcher: the other end of
// the socket.
#include "backends/native/launcher_client.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "async/task_group.hpp"
#include "base/send_fds.hpp"

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
             int error = 0, engine::Step step = engine::Step::kNone,
             std::span<const int> given = {}) {
    LauncherReply reply{.status = status, .op = op, .step = step, .errno_value = error};
    std::strncpy(reply.id.text.data(), id, reply.id.text.size() - 1);
    EXPECT_EQ(send_fds(launcher_.get(), &reply, sizeof reply, given),
              static_cast<ssize_t>(sizeof reply));
  }
  void refuse(LauncherOp op, engine::Step step, int error) {
    reply(op, "a", LauncherStatus::kFailed, error, step);
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

using Sockets = std::optional<Result<std::vector<UniqueFd>>>;
Task<void> keep_sockets(Task<Result<std::vector<UniqueFd>>> task, Sockets* outcome) {
  outcome->emplace(co_await std::move(task));
}

// Memory of the tenant before may be freed late: a limit is asked for again, and for a create, too.
Task<void> limit_that_takes_time(Executor executor) {
  Line line(executor, {});
  async::TaskGroup tasks(executor);
  std::optional<Result<LauncherReply>> changed, made;
  tasks.spawn(keep(line.client().set_limits(SandboxId("a"), {}), &changed));
  for (int asked = 0; asked < 3; ++asked) {
    EXPECT_EQ((co_await next_request(&line)).op, LauncherOp::kLimits);
    EXPECT_FALSE(changed);
    if (asked < 2) line.refuse(LauncherOp::kLimits, engine::Step::kLimits, EBUSY);
  }
  line.reply(LauncherOp::kLimits, "a");
  engine::CreateRequest request;
  std::strcpy(request.header.id.text.data(), "a");
  tasks.spawn(keep(line.client().create(request, {}), &made));
  for (bool last : {false, true}) {
    EXPECT_EQ((co_await next_request(&line)).op, LauncherOp::kCreate);
    if (!last) line.refuse(LauncherOp::kCreate, engine::Step::kLimits, EBUSY);
  }
  line.reply(LauncherOp::kCreate, "a");
  co_await tasks.wait_idle();
  EXPECT_TRUE(changed->has_value());
  EXPECT_TRUE(made->has_value());
}

Task<void> limit_that_never_holds(Executor executor) {
  Line line(executor, {});
  async::TaskGroup tasks(executor);
  std::optional<Result<LauncherReply>> changed;
  tasks.spawn(keep(line.client().set_limits(SandboxId("a"), {}), &changed));
  int asked = 0;
  while (!changed) {
    if (line.request()) {
      ++asked;
      line.refuse(LauncherOp::kLimits, engine::Step::kLimits, EBUSY);
    }
    co_await async::yield_now();
  }
  EXPECT_GT(asked, 1);
  EXPECT_EQ(code_of(*changed), Code::kLimitUnenforceable);
  // One that the kernel refuses for another reason is not asked for again.
  changed.reset();
  tasks.spawn(keep(line.client().set_limits(SandboxId("a"), {}), &changed));
  co_await next_request(&line);
  line.refuse(LauncherOp::kLimits, engine::Step::kLimits, EINVAL);
  co_await tasks.wait_idle();
  EXPECT_EQ(code_of(*changed), Code::kLimitUnenforceable);
  EXPECT_FALSE(line.request());
}

Task<void> sockets(Executor executor) {
  Line line(executor, {});
  async::TaskGroup tasks(executor);
  Sockets opened;
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  UniqueFd read_end(ends[0]), write_end(ends[1]);
  tasks.spawn(keep_sockets(line.client().open_egress(SandboxId("a")), &opened));
  for (bool last : {false, true}) {  // a launcher that has too much to do
    EXPECT_EQ((co_await next_request(&line)).op, LauncherOp::kEgress);
    if (!last) line.refuse(LauncherOp::kEgress, engine::Step::kBusy, EAGAIN);
  }
  const int both[] = {read_end.get(), write_end.get()};
  line.reply(LauncherOp::kEgress, "a", LauncherStatus::kOk, 0, engine::Step::kNone, both);
  co_await tasks.wait_idle();
  EXPECT_TRUE(opened->has_value());
  if (!opened->has_value()) co_return;
  EXPECT_EQ((*opened)->size(), 2u);
  EXPECT_EQ(::write(opened->value()[1].get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(::read(read_end.get(), &byte, 1), 1);
}

Task<void> sockets_refused(Executor executor) {
  Line line(executor, {});
  struct Case {
    int error;
    Code code;
  };
  constexpr Case kCases[] = {{ESRCH, Code::kNotStarted},       {EADDRINUSE, Code::kConflict},
                             {ENOENT, Code::kHostUnsupported}, {EOPNOTSUPP, Code::kHostUnsupported},
                             {EIO, Code::kHostUnsupported},    {EPERM, Code::kHostUnsupported}};
  for (Case one : kCases) {
    async::TaskGroup tasks(executor);
    Sockets opened;
    tasks.spawn(keep_sockets(line.client().open_egress(SandboxId("a")), &opened));
    co_await next_request(&line);
    line.refuse(LauncherOp::kEgress, engine::Step::kEgress, one.error);
    co_await tasks.wait_idle();
    EXPECT_EQ(code_of(*opened), one.code) << one.error;
    EXPECT_FALSE(line.request());
  }
}

// Sockets that come too late, or to nobody, are closed.
Task<void> sockets_too_late(Executor executor) {
  Line line(executor, {.other = kMoment});
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  UniqueFd read_end(ends[0]), write_end(ends[1]);
  EXPECT_EQ(code_of(co_await line.client().open_egress(SandboxId("a"))), Code::kNoAvailableRuntime);
  const int both[] = {write_end.get(), write_end.get()};
  line.reply(LauncherOp::kEgress, "a", LauncherStatus::kOk, 0, engine::Step::kNone, both);
  write_end.reset();
  line.reply(LauncherOp::kDestroy, "b");
  EXPECT_TRUE(co_await line.client().call(LauncherOp::kDestroy, SandboxId("b")));
  char byte = 0;
  EXPECT_EQ(::read(read_end.get(), &byte, 1), 0);
}

TEST(LauncherClient, ALimitThatIsRefusedForNowIsAskedForAgain) { run(&limit_that_takes_time); }
TEST(LauncherClient, ALimitThatNeverHoldsIsGivenUp) { run(&limit_that_never_holds); }
TEST(LauncherClient, SocketsOfANetworkCome) { run(&sockets); }
TEST(LauncherClient, SocketsThatAreRefusedSayWhy) { run(&sockets_refused); }
TEST(LauncherClient, SocketsThatComeTooLateAreClosed) { run(&sockets_too_late); }
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
