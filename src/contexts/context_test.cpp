// Runs in a context, and what a host finds that comes back to one.
#include "contexts/context.hpp"

#include "contexts/test_context.hpp"

namespace atl::contexts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Context, RunsCodeAndGathersWhatItDoes) {
  run_test(+[](Rig* rig) -> Task<void> {
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

TEST(Context, TellsWhatEachRunUsed) {
  run_test(+[](Rig* rig) -> Task<void> {
    rig->driver().figures = R"(,"cpu_user_us":3000,"cpu_system_us":10,"memory_peak_kb":9)";
    RunResult first = co_await run_code(rig, "print a");
    EXPECT_EQ(first.usage.cpu_user.count(), 3000);
    EXPECT_EQ(first.usage.memory_peak_bytes, 9u * 1024);
    rig->driver().figures = R"(,"cpu_user_us":5000,"cpu_system_us":-4,"memory_peak_kb":1e99)";
    RunResult second = co_await run_code(rig, "print a");
    EXPECT_EQ(second.usage.cpu_user.count(), 2000);
    EXPECT_EQ(second.usage.cpu_system.count(), 0);
    EXPECT_EQ(second.usage.memory_peak_bytes, 0u);
    RunResult last = co_await run_code(rig, "exit 3");
    EXPECT_EQ(last.usage.cpu_user, std::chrono::microseconds(6'995'000));  // what the guest says
  });
}

TEST(Context, EventsComeInOrderAndOneAtATime) {
  run_test(+[](Rig* rig) -> Task<void> {
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

TEST(Context, TellsThatItHasRead) {
  run_test(+[](Rig* rig) -> Task<void> {
    RunResult result = co_await run_code(rig, "print a\nraw settle 0|\nprint b");
    EXPECT_EQ(result.stdout_bytes, "a\nb\n");
    EXPECT_EQ(rig->driver().settled, 1);
  });
}

TEST(Context, AListenerThatFailsIsNotAskedAgain) {
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
    Result<bool> nothing = co_await rig->context->interrupt();
    EXPECT_FALSE(nothing.value());
    EXPECT_TRUE(rig->driver().signals.empty());
  });
}

TEST(Context, RefusesBadRequests) {
  run_test(+[](Rig* rig) -> Task<void> {
    Result<RunResult> large = co_await rig->context->run({.code = std::string(kMaxCode + 1, 'x')});
    EXPECT_EQ(large.error().code(), Code::kTooLarge);
    Result<RunResult> negative =
        co_await rig->context->run({.code = "", .timeout = std::chrono::milliseconds(-1)});
    EXPECT_EQ(negative.error().code(), Code::kInvalidArgument);
    EXPECT_TRUE(rig->driver().codes.empty());
  });
}

TEST(Context, DropsWhatIsBeyondTheCapAndReadsOn) {
  run_test(+[](Rig* rig) -> Task<void> {
    Result<RunResult> result =
        co_await rig->context->run({.code = "flood 2000", .max_output_bytes = 1000});
    EXPECT_TRUE(result->truncated);
    EXPECT_EQ(result->stdout_bytes.size(), 1000u);
    EXPECT_EQ(result->exit_code, 0);
  });
}

TEST(Context, KeepsSomeOfWhatIsPrintedBetweenRuns) {
  run_test(+[](Rig* rig) -> Task<void> {
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

TEST(Context, BashCodeHasNoNul) {
  run_test(+[](Rig* rig) -> Task<void> {
    Result<std::unique_ptr<Context>> bash =
        co_await Context::open(&rig->sandbox, {.language = Language::kBash});
    Result<RunResult> refused = co_await (*bash)->run({.code = std::string("a\0b", 3)});
    EXPECT_EQ(refused.error().code(), Code::kInvalidArgument);
  });
}

TEST(Context, TheLastWordIsKeptForWhoeverComesBack) {
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
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
  run_test(+[](Rig* rig) -> Task<void> {
    Result<Context::Reattached> found = co_await Context::reattach(&rig->sandbox, 99, {});
    EXPECT_EQ(found.error().code(), Code::kNotFound);
  });
}

}  // namespace
}  // namespace atl::contexts
