// How runs and interpreters end: the interpreter is a test double that breaks every rule.
#include <signal.h>

#include "contexts/test_context.hpp"

namespace atl::contexts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Context, ATimeOutInterruptsFirst) {
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
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

TEST(Context, AnInterruptThatWasMissedIsFollowedByANudge) {
  run_test(+[](Rig* rig) -> Task<void> {
    async::TaskGroup group(rig->executor);
    std::optional<Result<RunResult>> result;
    group.spawn(keep(rig->context.get(), {.code = "deaf\nwait"}, &result));
    Result<bool> interrupted = co_await rig->context->interrupt();
    EXPECT_TRUE(interrupted.value());
    const std::vector<int>& signals = rig->driver().signals;
    while (signals.size() < 2) co_await async::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(signals[0], SIGINT);
    EXPECT_EQ(signals[1], SIGURG);
    rig->driver().done(130);
    co_await group.wait_idle();
    EXPECT_TRUE((*result)->interrupted);
  });
}

Task<Result<void>> never(const RunEvent*) {
  co_await async::sleep_until(async::kNoDeadline);
  co_return Result<void>();
}

TEST(Context, AListenerThatNeverReturnsDoesNotHoldUpTheTimeOut) {
  run_test(+[](Rig* rig) -> Task<void> {
    Result<RunResult> result = co_await rig->context->run(
        {.code = "flood 600\nwait", .timeout = std::chrono::milliseconds(5), .on_event = &never});
    EXPECT_TRUE(result->timed_out);
    EXPECT_FALSE(result->crashed.has_value());
    EXPECT_GE(result->stdout_bytes.size(), 599u * 1024);  // the event at hand is lost
  });
}

TEST(Context, ReportsWhyTheInterpreterEnded) {
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
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

TEST(Context, ARunThatIsCancelledIsInterrupted) {
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
    rig->sandbox.next_starts = {"", "die", "die", ""};
    static_cast<void>(co_await run_code(rig, "exit 1"));
    RunResult result = co_await run_code(rig, "print x");
    EXPECT_EQ(result.stdout_bytes, "x\n");
  });
}

TEST(Context, AZygoteIsAskedFirst) {
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
    rig->sandbox.next_starts = {"", "silent"};
    Result<std::unique_ptr<Context>> context =
        co_await Context::open(&rig->sandbox, {.start_timeout = std::chrono::milliseconds(5)});
    EXPECT_EQ(context.error().code(), Code::kCreateTimeout);
    EXPECT_TRUE(rig->driver().exit.has_value());
  });
}

TEST(Context, ASandboxWithoutTheInterpreterSaysSo) {
  run_test(+[](Rig* rig) -> Task<void> {
    rig->sandbox.spawn_error = Error(Code::kProgramNotFound, "no python3");
    Result<std::unique_ptr<Context>> context = co_await Context::open(&rig->sandbox, {});
    EXPECT_EQ(context.error().code(), Code::kProgramNotFound);
  });
}

// The end of a run is acknowledged when the next begins: that is how a host that comes back knows
// whether something runs.

}  // namespace
}  // namespace atl::contexts
