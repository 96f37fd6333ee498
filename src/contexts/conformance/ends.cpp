// How runs end before their time: interrupts, time-outs, crashes, floods, protocol lies.
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include <gmock/gmock.h>

#include "async/deadline.hpp"
#include "contexts/conformance/speech.hpp"

namespace atl::contexts {
namespace {

using testing::HasSubstr;

Task<void> is_interrupted(Context* context, const Speech* speech, std::string code) {
  ATOLL_NEED(RunResult result, co_await run_and_interrupt(context, std::move(code)));
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_FALSE(result.crashed || result.timed_out) << result.output;
  EXPECT_TRUE(result.error.has_value());
  if (speech->language == Language::kPython) {
    EXPECT_EQ(result.error.value_or(CodeError{}).ename, "KeyboardInterrupt");
  }
}

Task<void> interrupts(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult set, co_await context->run({.code = speech->remember}));
  co_await is_interrupted(context.get(), speech, speech->endless);
  co_await is_interrupted(context.get(), speech, speech->sleep);
  ATOLL_NEED(RunResult kept, co_await context->run({.code = speech->recall}));
  EXPECT_EQ(answer(kept), "42");
  EXPECT_FALSE(kept.restarted);
}
ATOLL_CONTEXT_CASE(ContextIsInterrupted, interrupts);
ATOLL_ZYGOTE_CASE(ContextIsInterrupted, interrupts);

// The signal goes to another thread, so that this one sleeps on: as it would if the signal had come
// just before the sleep.
Task<void> interrupts_unseen(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  co_await is_interrupted(context.get(), speech,
                          "import signal, threading, time\n"
                          "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
                          "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\n"
                          "print('started')\n"
                          "time.sleep(1000)");
}
ATOLL_CONTEXT_CASE_IN(Python, ContextIsInterruptedUnseen, interrupts_unseen);

Task<void> interrupt_of_nothing(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(bool hit, co_await context->interrupt());
  EXPECT_FALSE(hit);
  ATOLL_NEED(RunResult result, co_await context->run({.code = speech->print}));
  EXPECT_EQ(result.stdout_bytes, "hello\n");
}
ATOLL_CONTEXT_CASE(ContextInterruptOfNothing, interrupt_of_nothing);

Task<void> times_out(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult set, co_await context->run({.code = speech->remember}));
  // Enough for the first word on a busy machine.
  ATOLL_NEED(RunResult result, co_await context->run({.code = speech->sleep,
                                                      .timeout = std::chrono::milliseconds(2500)}));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.stdout_bytes, "started\n");
  EXPECT_FALSE(result.crashed.has_value());
  ATOLL_NEED(RunResult kept, co_await context->run({.code = speech->recall}));
  EXPECT_EQ(answer(kept), "42");
}
ATOLL_CONTEXT_CASE(ContextTimesOut, times_out);
ATOLL_ZYGOTE_CASE(ContextTimesOut, times_out);

Task<void> what_does_not_stop_is_killed(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult result, co_await context->run({.code = speech->deaf,
                                                      .timeout = std::chrono::milliseconds(500)}));
  EXPECT_TRUE(result.timed_out);
  if (!result.crashed) co_return;  // a driver may find another way to stop it
  EXPECT_EQ(result.crashed->signal, SIGKILL);
  EXPECT_TRUE(result.restarted);
  ATOLL_NEED(RunResult next, co_await context->run({.code = speech->print}));
  EXPECT_EQ(next.stdout_bytes, "hello\n");
  EXPECT_FALSE(next.restarted);
}
ATOLL_CONTEXT_CASE_IN(Python, ContextKillsWhatDoesNotStop, what_does_not_stop_is_killed);
ATOLL_ZYGOTE_CASE(ContextKillsWhatDoesNotStop, what_does_not_stop_is_killed);
ATOLL_CONTEXT_CASE_IN(Bash, ContextKillsWhatDoesNotStop, what_does_not_stop_is_killed);

Task<void> crashes_are_told(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult set, co_await context->run({.code = speech->remember}));
  ATOLL_NEED(RunResult kill, co_await context->run({.code = speech->kill}));
  EXPECT_EQ(kill.crashed.value_or(Crash{}).signal, SIGKILL);
  EXPECT_FALSE(kill.crashed.value_or(Crash{}).oom);
  EXPECT_TRUE(kill.restarted);
  // A fresh one, which knows nothing.
  ATOLL_NEED(RunResult fresh, co_await context->run({.code = speech->recall}));
  EXPECT_NE(fresh.exit_code, 0);
  EXPECT_FALSE(fresh.crashed || fresh.restarted);
  if (speech->language != Language::kBash) {
    ATOLL_NEED(RunResult segfault, co_await context->run({.code = speech->segfault}));
    EXPECT_EQ(segfault.crashed.value_or(Crash{}).signal, SIGSEGV);
    EXPECT_EQ(segfault.exit_code, 128 + SIGSEGV);
    EXPECT_THAT(segfault.crashed.value_or(Crash{}).cause, HasSubstr("SIGSEGV"));
    ATOLL_NEED(RunResult exit, co_await context->run({.code = speech->exit}));
    EXPECT_EQ(exit.crashed.value_or(Crash{}).exit_code, 3);
    EXPECT_EQ(exit.exit_code, 3);
  }
  ATOLL_NEED(RunResult next, co_await context->run({.code = speech->print}));
  EXPECT_EQ(next.stdout_bytes, "hello\n");
}
ATOLL_CONTEXT_CASE(ContextTellsCrashes, crashes_are_told);
ATOLL_ZYGOTE_CASE(ContextTellsCrashes, crashes_are_told);

Task<void> memory_bomb(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult bomb,
             co_await context->run({.code = "a = []\nwhile True: a.append(b'x' * 10_000_000)"}));
  // The allocator may say no before the kernel does: then it is an ordinary error.
  EXPECT_TRUE(bomb.crashed.has_value()) << bomb.output;
  EXPECT_TRUE(bomb.crashed.value_or(Crash{}).oom);
  EXPECT_THAT(bomb.crashed.value_or(Crash{}).cause, HasSubstr("memory"));
  ATOLL_NEED(RunResult next, co_await context->run({.code = speech->print}));
  EXPECT_EQ(next.stdout_bytes, "hello\n");
}
ATOLL_CONTEXT_CASE_IN(Python, ContextOutOfMemory, memory_bomb, {Cap::kLimits});
ATOLL_ZYGOTE_CASE(ContextOutOfMemory, memory_bomb);

Task<void> output_bomb(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  sandbox::reset_peak_memory();
  std::size_t before = sandbox::peak_memory();
  ATOLL_NEED(RunResult result, co_await context->run({.code = speech->flood,
                                                      .timeout = std::chrono::milliseconds(2500),
                                                      .max_output_bytes = 1u << 20}));
  EXPECT_TRUE(result.truncated);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.stdout_bytes.size(), 1u << 20);
  EXPECT_LT(sandbox::peak_memory(), before + (16u << 20));
  ATOLL_NEED(RunResult next, co_await context->run({.code = speech->print}));
  EXPECT_TRUE(next.stdout_bytes.ends_with("hello\n"));
}
ATOLL_CONTEXT_CASE(ContextOutputIsBounded, output_bomb);

Task<void> lies(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  for (const char* lie : {"b'garbage' * 100", "b'result 99999999999\\n'",
                          "b'display 17\\n{\"text/plain\":[1]'", "b'done 2\\n{}'"}) {
    // Descriptor 3 is the interpreter's own: code in it can reach it, or at least a copy.
    ATOLL_NEED(RunResult result,
               co_await context->run({.code = "import os, time\nfor fd in range(3, 64):\n"
                                              "  try:\n    os.write(fd, " +
                                              std::string(lie) +
                                              ")\n  except OSError: pass\ntime.sleep(1000)"}));
    EXPECT_TRUE(result.crashed.has_value()) << lie;
    EXPECT_THAT(result.crashed.value_or(Crash{}).cause, HasSubstr("protocol")) << lie;
  }
  ATOLL_NEED(RunResult next, co_await context->run({.code = speech->print}));
  EXPECT_EQ(next.stdout_bytes, "hello\n");
}
ATOLL_CONTEXT_CASE_IN(Python, ContextThatLiesIsEnded, lies);

Task<void> bad_code(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_EXPECT_CODE(Code::kTooLarge,
                    co_await context->run({.code = std::string(kMaxCode + 1, ' ')}));
  Result<RunResult> nul = co_await context->run({.code = std::string("a\0b", 3)});
  if (speech->language == Language::kBash) {
    EXPECT_EQ(nul ? Code::kOk : nul.error().code(), Code::kInvalidArgument);
  } else {
    EXPECT_TRUE(nul && nul->exit_code == 1 && !nul->crashed);
  }
  ATOLL_NEED(RunResult deep, co_await context->run({.code = std::string(100'000, '(')}));
  EXPECT_NE(deep.exit_code, 0);
  std::string spaces(kMaxCode - speech->print.size(), '\n');
  ATOLL_NEED(RunResult large, co_await context->run({.code = spaces + speech->print}));
  EXPECT_EQ(large.stdout_bytes, "hello\n");
}
ATOLL_CONTEXT_CASE(ContextTakesBadCode, bad_code);

// Waits until a process with this command line is there, or is not; the case has a deadline.
Task<Result<void>> until(sandbox::Sandbox* box, std::string command, bool there) {
  for (;;) {
    ATOLL_CO_TRY(std::vector<sandbox::ProcessInfo> all, co_await box->processes());
    auto found = std::ranges::find(all, command, &sandbox::ProcessInfo::command);
    if ((found != all.end()) == there) co_return Result<void>();
    co_await async::sleep_for(std::chrono::milliseconds(10));
  }
}

Task<void> leaves_nothing_behind(Box* box, const Speech* speech) {
  ATOLL_NEED(auto before, co_await box->sandbox->executions());
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  std::uint64_t exec_id = context->exec_id();
  ATOLL_NEED_OK(co_await context->restart());
  EXPECT_NE(context->exec_id(), exec_id);
  // A program that the code started goes with it.
  std::string child = "sleep 4" + std::to_string(::getpid());
  std::string call = speech->language == Language::kBash ? "'" + child + "'" : "('" + child + "')";
  ATOLL_NEED(RunResult result, co_await context->run({.code = speech->start + call}));
  EXPECT_EQ(result.exit_code, 0) << result.output;
  ATOLL_NEED_OK(co_await until(box->sandbox.get(), child, true));
  ATOLL_NEED_OK(co_await context->close());
  ATOLL_NEED(auto after, co_await box->sandbox->executions());
  EXPECT_EQ(after.size(), before.size());
  ATOLL_NEED_OK(co_await until(box->sandbox.get(), child, false));
}
ATOLL_CONTEXT_CASE(ContextLeavesNothingBehind, leaves_nothing_behind);
ATOLL_ZYGOTE_CASE(ContextLeavesNothingBehind, leaves_nothing_behind);

}  // namespace
}  // namespace atl::contexts
