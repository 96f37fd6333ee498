// A context and its interpreter, where the interpreter is a test double that breaks every rule.
#include "contexts/context.hpp"

#include <signal.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "contexts/test_sandbox.hpp"

namespace atl::contexts {
namespace {

using async::Executor;
using async::Task;
using testing::ElementsAre;
using testing::HasSubstr;

struct Rig {
  explicit Rig(Executor with) : executor(std::move(with)) {}
  Executor executor;
  TestSandbox sandbox;
  std::unique_ptr<Context> context;

  TestDriver& driver() { return *sandbox.drivers.back(); }
};

Task<Result<void>> guarded(Task<void> body) {
  co_await std::move(body);
  co_return Result<void>();
}

Task<void> with_context(Executor executor, Task<void> (*body)(Rig*)) {
  Rig rig(executor);
  Result<std::unique_ptr<Context>> context =
      co_await Context::open(&rig.sandbox, {.grace = std::chrono::milliseconds(20)});
  EXPECT_TRUE(context.has_value());
  if (!context) co_return;
  rig.context = std::move(*context);
  Result<void> done = co_await async::with_deadline(guarded(body(&rig)),
                                                    async::deadline_in(std::chrono::seconds(30)),
                                                    Code::kExecTimeout, "the test hangs");
  EXPECT_TRUE(done.has_value());
}

void run(Task<void> (*body)(Rig*)) {
  async::run_to_end<void>(
      [body](Executor executor) { return with_context(std::move(executor), body); });
}

Task<RunResult> run_code(Rig* rig, std::string code) {
  Result<RunResult> result = co_await rig->context->run({.code = std::move(code)});
  EXPECT_TRUE(result.has_value()) << result.error().to_string();
  co_return result ? std::move(*result) : RunResult{};
}

Task<void> keep(Context* context, RunRequest request, std::optional<Result<RunResult>>* into) {
  into->emplace(co_await context->run(std::move(request)));
}

TEST(Context, RunsCodeAndGathersWhatItDoes) {
  run(+[](Rig* rig) -> Task<void> {
    EXPECT_TRUE(rig->driver().request.control);
    EXPECT_EQ(rig->context->version(), "1.0");
    RunResult result = co_await run_code(
        rig, "print a\ndisplay {\"text/plain\":\"d\"}\nprint b\nresult {\"text/plain\":\"r\"}");
    EXPECT_EQ(result.stdout_bytes, "a\nb\n");
    EXPECT_EQ(result.shown.size(), 2u);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.execution_count, 1);
    EXPECT_FALSE(result.restarted || result.crashed || result.error);
  });
}

TEST(Context, EventsComeInOrderAndOneAtATime) {
  run(+[](Rig* rig) -> Task<void> {
    std::vector<std::string> seen;
    auto note = [&seen](const RunEvent* event) -> Task<Result<void>> {
      static constexpr auto kTell = [](std::vector<std::string>* into,
                                       std::string what) -> Task<Result<void>> {
        co_await async::yield_now();
        into->push_back(std::move(what));
        co_return Result<void>();
      };
      return kTell(&seen, event->kind == EventKind::kStdout ? event->bytes : "error");
    };
    Result<RunResult> result =
        co_await rig->context->run({.code = "print 1\nerror E\nprint 2", .on_event = note});
    EXPECT_TRUE(result.has_value());
    EXPECT_THAT(seen, ElementsAre("1\n", "error", "2\n"));
  });
}

TEST(Context, AListenerThatFailsIsNotAskedAgain) {
  run(+[](Rig* rig) -> Task<void> {
    int calls = 0;
    auto refuse = [&calls](const RunEvent*) -> Task<Result<void>> {
      ++calls;
      static constexpr auto kFail = []() -> Task<Result<void>> {
        co_return fail(Code::kIo, "gone");
      };
      return kFail();
    };
    Result<RunResult> result =
        co_await rig->context->run({.code = "print 1\nprint 2", .on_event = refuse});
    EXPECT_EQ(result->stdout_bytes, "1\n2\n");
    EXPECT_EQ(calls, 1);
  });
}

TEST(Context, RunsWaitForTheirTurn) {
  run(+[](Rig* rig) -> Task<void> {
    async::TaskGroup group(rig->executor);
    std::vector<std::optional<Result<RunResult>>> results(3);
    group.spawn(keep(rig->context.get(), {.code = "print first\nwait"}, &results[0]));
    group.spawn(keep(rig->context.get(), {.code = "print second"}, &results[1]));
    group.spawn(keep(rig->context.get(), {.code = "print third"}, &results[2]));
    co_await async::yield_now();
    EXPECT_TRUE(rig->context->running());
    EXPECT_EQ(rig->context->waiting(), 2u);
    EXPECT_EQ(rig->driver().codes.size(), 1u);
    Result<bool> interrupted = co_await rig->context->interrupt();
    EXPECT_TRUE(interrupted.value());
    co_await group.wait_idle();
    EXPECT_TRUE((*results[0])->interrupted);
    EXPECT_EQ((*results[0])->exit_code, 130);
    EXPECT_EQ((*results[0])->error->ename, "KeyboardInterrupt");
    EXPECT_EQ((*results[1])->stdout_bytes, "second\n");
    EXPECT_EQ((*results[2])->stdout_bytes, "third\n");
    EXPECT_THAT(rig->driver().codes,
                ElementsAre("print first\nwait", "print second", "print third"));
  });
}

TEST(Context, TheQueueIsBounded) {
  run(+[](Rig* rig) -> Task<void> {
    async::TaskGroup group(rig->executor);
    std::vector<std::optional<Result<RunResult>>> results(1 + kMaxWaiting);
    group.spawn(keep(rig->context.get(), {.code = "wait"}, &results[0]));
    for (std::size_t i = 1; i <= kMaxWaiting; ++i) {
      group.spawn(keep(rig->context.get(), {.code = "print x"}, &results[i]));
    }
    Result<RunResult> refused = co_await rig->context->run({.code = "print y"});
    EXPECT_EQ(refused.error().code(), Code::kResourceExhausted);
    static_cast<void>(co_await rig->context->interrupt());
    co_await group.wait_idle();
    EXPECT_EQ((*results.back())->stdout_bytes, "x\n");
  });
}

TEST(Context, InterruptOfNothingIsNoError) {
  run(+[](Rig* rig) -> Task<void> {
    Result<bool> nothing = co_await rig->context->interrupt();
    EXPECT_FALSE(nothing.value());
    EXPECT_TRUE(rig->driver().signals.empty());
  });
}

TEST(Context, RefusesBadRequests) {
  run(+[](Rig* rig) -> Task<void> {
    Result<RunResult> large = co_await rig->context->run({.code = std::string(kMaxCode + 1, 'x')});
    EXPECT_EQ(large.error().code(), Code::kTooLarge);
    Result<RunResult> negative =
        co_await rig->context->run({.code = "", .timeout = std::chrono::milliseconds(-1)});
    EXPECT_EQ(negative.error().code(), Code::kInvalidArgument);
    EXPECT_TRUE(rig->driver().codes.empty());
  });
}

TEST(Context, ATimeOutInterruptsFirst) {
  run(+[](Rig* rig) -> Task<void> {
    Result<RunResult> result = co_await rig->context->run(
        {.code = "print begun\nwait", .timeout = std::chrono::milliseconds(5)});
    EXPECT_TRUE(result->timed_out);
    EXPECT_FALSE(result->crashed || result->restarted);
    EXPECT_EQ(result->exit_code, 130);
    EXPECT_EQ(result->stdout_bytes, "begun\n");
    EXPECT_EQ(rig->sandbox.drivers.size(), 1u);
  });
}

TEST(Context, ATimeOutKillsWhatDoesNotStop) {
  run(+[](Rig* rig) -> Task<void> {
    Result<RunResult> result = co_await rig->context->run(
        {.code = "deaf\nprint begun\nwait", .timeout = std::chrono::milliseconds(5)});
    EXPECT_TRUE(result->timed_out);
    EXPECT_TRUE(result->restarted);
    EXPECT_THAT(result->crashed.value().cause, HasSubstr("did not stop"));
    EXPECT_EQ(result->stdout_bytes, "begun\n");
    EXPECT_THAT(rig->driver().signals, ElementsAre(SIGINT, SIGINT, SIGKILL));
    RunResult next = co_await run_code(rig, "print fresh");
    EXPECT_EQ(next.stdout_bytes, "fresh\n");
    EXPECT_FALSE(next.restarted);
    EXPECT_EQ(rig->sandbox.drivers.size(), 2u);
  });
}

Task<Result<void>> never(const RunEvent*) {
  co_await async::sleep_until(async::kNoDeadline);
  co_return Result<void>();
}

TEST(Context, AListenerThatNeverReturnsDoesNotHoldUpTheTimeOut) {
  run(+[](Rig* rig) -> Task<void> {
    Result<RunResult> result = co_await rig->context->run(
        {.code = "flood 600\nwait", .timeout = std::chrono::milliseconds(5), .on_event = &never});
    EXPECT_TRUE(result->timed_out);
    EXPECT_FALSE(result->crashed.has_value());
    EXPECT_GE(result->stdout_bytes.size(), 599u * 1024);  // the event at hand is lost
  });
}

TEST(Context, ReportsWhyTheInterpreterEnded) {
  run(+[](Rig* rig) -> Task<void> {
    RunResult exit = co_await run_code(rig, "print a\nexit 3");
    EXPECT_EQ(exit.stdout_bytes, "a\n");
    EXPECT_EQ(exit.exit_code, 3);
    EXPECT_THAT(exit.crashed.value().cause, HasSubstr("exit code 3"));
    RunResult segv = co_await run_code(rig, "die 11");
    EXPECT_EQ(segv.exit_code, 139);
    EXPECT_EQ(segv.crashed.value().signal, SIGSEGV);
    EXPECT_THAT(segv.crashed->cause, HasSubstr("SIGSEGV"));
    RunResult oom = co_await run_code(rig, "oom");
    EXPECT_TRUE(oom.crashed.value().oom);
    EXPECT_THAT(oom.crashed->cause, HasSubstr("memory"));
    EXPECT_EQ(rig->sandbox.drivers.size(), 3u);
  });
}

TEST(Context, AnInterpreterLostBetweenRunsIsToldOnce) {
  run(+[](Rig* rig) -> Task<void> {
    // Whether it was noticed before the code is sent, or only then.
    for (bool noticed : {true, false}) {
      rig->driver().end(137, SIGKILL, true);
      if (noticed) co_await async::yield_now();
      EXPECT_EQ(rig->context->exec_id() == 0, noticed);
      RunResult result = co_await run_code(rig, "print a");
      EXPECT_EQ(result.stdout_bytes, "a\n");
      EXPECT_TRUE(result.restarted);
      EXPECT_TRUE(result.lost && result.lost->oom);
      EXPECT_FALSE(result.crashed.has_value());
      RunResult next = co_await run_code(rig, "print b");
      EXPECT_FALSE(next.restarted || next.lost);
    }
  });
}

TEST(Context, EndsAnInterpreterThatBreaksTheProtocol) {
  run(+[](Rig* rig) -> Task<void> {
    for (std::string bad : {"nonsense|", "stdout 99999999|", "result 2|[]", "result 2|{}",
                            "result 3|{}}", "done 2|{}", "done 18|{\"exit_code\": 999}",
                            "ready 2|{}", "error 4|oops", "display 20|{\"text/plain\":[\"a\"]}"}) {
      RunResult result = co_await run_code(rig, "print before\nraw " + bad + "\nwait");
      EXPECT_TRUE(result.crashed.has_value()) << bad;
      if (result.crashed) EXPECT_THAT(result.crashed->cause, HasSubstr("protocol")) << bad;
      EXPECT_EQ(result.stdout_bytes, "before\n");
    }
    RunResult next = co_await run_code(rig, "print fine");
    EXPECT_EQ(next.stdout_bytes, "fine\n");
  });
}

TEST(Context, DropsWhatIsBeyondTheCapAndReadsOn) {
  run(+[](Rig* rig) -> Task<void> {
    Result<RunResult> result =
        co_await rig->context->run({.code = "flood 2000", .max_output_bytes = 1000});
    EXPECT_TRUE(result->truncated);
    EXPECT_EQ(result->stdout_bytes.size(), 1000u);
    EXPECT_EQ(result->exit_code, 0);
  });
}

TEST(Context, KeepsSomeOfWhatIsPrintedBetweenRuns) {
  run(+[](Rig* rig) -> Task<void> {
    static_cast<void>(co_await run_code(rig, "print a"));
    rig->driver().print("between\n");
    for (int i = 0; i < 1000; ++i) rig->driver().print(std::string(1024, 'x'));
    while (!rig->driver().output.empty()) co_await async::yield_now();
    RunResult result = co_await run_code(rig, "print b");
    EXPECT_TRUE(result.stdout_bytes.starts_with("between\n"));
    EXPECT_TRUE(result.stdout_bytes.ends_with("b\n"));
    EXPECT_LT(result.stdout_bytes.size(), 100'000u);
  });
}

TEST(Context, ARunThatIsCancelledIsInterrupted) {
  run(+[](Rig* rig) -> Task<void> {
    std::optional<Result<RunResult>> result;
    {
      async::TaskGroup group(rig->executor);
      group.spawn(keep(rig->context.get(), {.code = "print old\nwait"}, &result));
      co_await group.join();
    }
    EXPECT_FALSE(result.has_value());
    EXPECT_FALSE(rig->context->running());
    RunResult next = co_await run_code(rig, "print new");
    EXPECT_EQ(next.stdout_bytes, "new\n");
    EXPECT_FALSE(next.restarted);
    EXPECT_THAT(rig->driver().signals, ElementsAre(SIGINT));
  });
}

TEST(Context, ACancelledRunThatDoesNotStopIsKilled) {
  run(+[](Rig* rig) -> Task<void> {
    std::optional<Result<RunResult>> result;
    {
      async::TaskGroup group(rig->executor);
      group.spawn(keep(rig->context.get(), {.code = "deaf\nwait"}, &result));
      co_await group.join();
    }
    RunResult next = co_await run_code(rig, "print new");
    EXPECT_EQ(next.stdout_bytes, "new\n");
    EXPECT_TRUE(next.restarted);
    EXPECT_THAT(next.lost.value().cause, HasSubstr("cancelled"));
  });
}

TEST(Context, RestartsOnRequest) {
  run(+[](Rig* rig) -> Task<void> {
    async::TaskGroup group(rig->executor);
    std::vector<std::optional<Result<RunResult>>> results(2);
    group.spawn(keep(rig->context.get(), {.code = "wait"}, &results[0]));
    group.spawn(keep(rig->context.get(), {.code = "print waited"}, &results[1]));
    Result<void> restarted = co_await rig->context->restart();
    EXPECT_TRUE(restarted.has_value());
    co_await group.wait_idle();
    EXPECT_THAT((*results[0])->crashed.value().cause, HasSubstr("restarted"));
    EXPECT_EQ((*results[1])->stdout_bytes, "waited\n");
    EXPECT_FALSE((*results[1])->lost.has_value());
    EXPECT_EQ(rig->sandbox.drivers.size(), 2u);
  });
}

TEST(Context, ClosingEndsEverything) {
  run(+[](Rig* rig) -> Task<void> {
    async::TaskGroup group(rig->executor);
    std::vector<std::optional<Result<RunResult>>> results(2);
    group.spawn(keep(rig->context.get(), {.code = "deaf\nwait"}, &results[0]));
    group.spawn(keep(rig->context.get(), {.code = "print never"}, &results[1]));
    Result<void> closed = co_await rig->context->close();
    EXPECT_TRUE(closed.has_value());
    co_await group.wait_idle();
    EXPECT_EQ(results[0]->error().code(), Code::kCancelled);
    EXPECT_EQ(results[1]->error().code(), Code::kCancelled);
    EXPECT_TRUE(rig->driver().exit.has_value());
    EXPECT_EQ(rig->sandbox.drivers.size(), 1u);
    Result<RunResult> late = co_await rig->context->run({.code = "print x"});
    EXPECT_EQ(late.error().code(), Code::kCancelled);
    Result<void> again = co_await rig->context->close();
    EXPECT_TRUE(again.has_value());
  });
}

TEST(Context, GivesUpAfterThreeStartsAndSaysSoEachTime) {
  run(+[](Rig* rig) -> Task<void> {
    rig->sandbox.next_starts = {"", "die", "die", "die", "die", "die"};
    static_cast<void>(co_await run_code(rig, "die 11"));
    for (int i = 0; i < 2; ++i) {
      Result<RunResult> failed = co_await rig->context->run({.code = "print x"});
      EXPECT_EQ(failed.error().code(), Code::kExecutionFailed);
      EXPECT_THAT(failed.error().message(), HasSubstr("to start"));
    }
    EXPECT_EQ(rig->sandbox.drivers.size(), 4u);
    rig->sandbox.next_starts.clear();
    Result<void> restarted = co_await rig->context->restart();
    EXPECT_TRUE(restarted.has_value());
    RunResult result = co_await run_code(rig, "print back");
    EXPECT_EQ(result.stdout_bytes, "back\n");
  });
}

TEST(Context, OneBadStartIsForgiven) {
  run(+[](Rig* rig) -> Task<void> {
    rig->sandbox.next_starts = {"", "die", "die", ""};
    static_cast<void>(co_await run_code(rig, "exit 1"));
    RunResult result = co_await run_code(rig, "print x");
    EXPECT_EQ(result.stdout_bytes, "x\n");
  });
}

TEST(Context, AZygoteIsAskedFirst) {
  run(+[](Rig* rig) -> Task<void> {
    EXPECT_FALSE(rig->driver().request.zygote);
    rig->sandbox.has_zygote = true;
    rig->sandbox.next_starts = {"", "", "die"};
    Result<std::unique_ptr<Context>> first = co_await Context::open(&rig->sandbox, {});
    EXPECT_TRUE(first.has_value());
    EXPECT_TRUE(rig->driver().request.zygote);
    EXPECT_THAT(rig->driver().request.argv, ElementsAre("python3", "@context"));
    Result<std::unique_ptr<Context>> second = co_await Context::open(&rig->sandbox, {});
    EXPECT_TRUE(second.has_value());
    EXPECT_TRUE(rig->sandbox.drivers[2]->request.zygote);
    EXPECT_FALSE(rig->driver().request.zygote);
    EXPECT_THAT(rig->driver().request.argv, ElementsAre("python3", "-c", testing::_, "context"));
    Result<std::unique_ptr<Context>> bash =
        co_await Context::open(&rig->sandbox, {.language = Language::kBash});
    EXPECT_FALSE(rig->driver().request.zygote);
  });
}

TEST(Context, AStartThatTakesTooLongIsEnded) {
  run(+[](Rig* rig) -> Task<void> {
    rig->sandbox.next_starts = {"", "silent"};
    Result<std::unique_ptr<Context>> context =
        co_await Context::open(&rig->sandbox, {.start_timeout = std::chrono::milliseconds(5)});
    EXPECT_EQ(context.error().code(), Code::kCreateTimeout);
    EXPECT_TRUE(rig->driver().exit.has_value());
  });
}

TEST(Context, ASandboxWithoutTheInterpreterSaysSo) {
  run(+[](Rig* rig) -> Task<void> {
    rig->sandbox.spawn_error = Error(Code::kProgramNotFound, "no python3");
    Result<std::unique_ptr<Context>> context = co_await Context::open(&rig->sandbox, {});
    EXPECT_EQ(context.error().code(), Code::kProgramNotFound);
  });
}

TEST(Context, BashCodeHasNoNul) {
  run(+[](Rig* rig) -> Task<void> {
    Result<std::unique_ptr<Context>> bash =
        co_await Context::open(&rig->sandbox, {.language = Language::kBash});
    Result<RunResult> refused = co_await (*bash)->run({.code = std::string("a\0b", 3)});
    EXPECT_EQ(refused.error().code(), Code::kInvalidArgument);
  });
}

// The end of a run is acknowledged when the next begins: that is how a host that comes back knows
// whether something runs.
TEST(Context, TheLastWordIsKeptForWhoeverComesBack) {
  run(+[](Rig* rig) -> Task<void> {
    EXPECT_EQ(rig->driver().control_acknowledged, 0u);
    static_cast<void>(co_await run_code(rig, "result {\"text/plain\":\"r\"}"));
    std::string ready = "ready 35\n{\"language\":\"test\",\"version\":\"1.0\"}";
    std::string result = "result 18\n{\"text/plain\":\"r\"}";
    EXPECT_EQ(rig->driver().control_acknowledged, ready.size() + result.size());
    static_cast<void>(co_await run_code(rig, ""));
    std::string done = "done 35\n{\"execution_count\":1,\"exit_code\":0}";
    EXPECT_EQ(rig->driver().control_acknowledged, ready.size() + result.size() + done.size());
  });
}

TEST(Context, ReattachesToOneThatIsIdle) {
  run(+[](Rig* rig) -> Task<void> {
    std::uint64_t exec_id = rig->context->exec_id();
    static_cast<void>(co_await run_code(rig, "print a"));
    rig->context.reset();
    co_await async::yield_now();
    // What the guest has kept.
    rig->driver().say("done", R"({"execution_count":1,"exit_code":7})");
    Result<Context::Reattached> found = co_await Context::reattach(&rig->sandbox, exec_id, {});
    EXPECT_EQ(found->last.value().exit_code, 7);
    EXPECT_FALSE(found->last->interrupted);
    Result<RunResult> next = co_await found->context->run({.code = "print b"});
    EXPECT_EQ(next->stdout_bytes, "b\n");
    EXPECT_FALSE(next->restarted);
    EXPECT_TRUE(rig->driver().signals.empty());
  });
}

TEST(Context, ReattachesToOneThatRanNothing) {
  run(+[](Rig* rig) -> Task<void> {
    std::uint64_t exec_id = rig->context->exec_id();
    rig->context.reset();
    co_await async::yield_now();
    rig->driver().say("ready", R"({"version":"1.0"})");
    Result<Context::Reattached> found = co_await Context::reattach(&rig->sandbox, exec_id, {});
    EXPECT_FALSE(found->last.has_value());
    EXPECT_EQ(found->context->version(), "1.0");
  });
}

TEST(Context, EndsARunThatWentOnWithoutItsHost) {
  run(+[](Rig* rig) -> Task<void> {
    std::uint64_t exec_id = rig->context->exec_id();
    rig->context.reset();
    co_await async::yield_now();
    rig->driver().running = true;
    rig->driver().say("rest of a picture\"}");
    rig->driver().say("stdout", "so far\n");
    Result<Context::Reattached> found = co_await Context::reattach(&rig->sandbox, exec_id, {});
    EXPECT_TRUE(found->last.value().interrupted);
    EXPECT_EQ(found->last->stdout_bytes, "so far\n");
    EXPECT_EQ(found->last->exit_code, 130);
    Result<RunResult> next = co_await found->context->run({.code = "print b"});
    EXPECT_EQ(next->stdout_bytes, "b\n");
    EXPECT_FALSE(next->restarted);
  });
}

TEST(Context, ReattachingToNothingIsNotFound) {
  run(+[](Rig* rig) -> Task<void> {
    Result<Context::Reattached> found = co_await Context::reattach(&rig->sandbox, 99, {});
    EXPECT_EQ(found.error().code(), Code::kNotFound);
  });
}

}  // namespace
}  // namespace atl::contexts
