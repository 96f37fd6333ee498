// Living programs: signals, terminals, background, lists, many at once.
#include <signal.h>

#include <algorithm>

#include "async/task_group.hpp"
#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

using async::Task;

Task<void> signals(Box* box) {
  ATOLL_NEED(
      auto process,
      co_await box->sandbox->spawn(ExecRequest::shell(
          "trap 'echo caught; exit 9' USR1; echo ready; while :; do sleep 1000 & wait; done")));
  ATOLL_NEED_OK(co_await read_until(process.get(), "ready\n"));
  ATOLL_NEED_OK(co_await process->signal(SIGUSR1));
  ATOLL_NEED(ExecResult result, co_await collect(process.get()));
  EXPECT_EQ(result.status.exit_code, 9);
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await process->signal(SIGUSR1));

  ATOLL_NEED(auto sleeper, co_await box->sandbox->spawn({.argv = {"sleep", "1000"}}));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument, co_await sleeper->signal(999));
  ATOLL_NEED_OK(co_await sleeper->signal(SIGKILL));
  ATOLL_NEED(ExecResult killed, co_await collect(sleeper.get()));
  EXPECT_EQ(killed.status.signal, SIGKILL);
  EXPECT_EQ(killed.status.exit_code, 137);
  EXPECT_FALSE(killed.status.oom);
}
TEST_P(Conformance, PassesSignalsOn) { run(&signals, {Cap::kSignals}); }

Task<void> terminal(Box* box) {
  ATOLL_NEED(auto process,
             co_await box->sandbox->spawn({.argv = {"/bin/sh"},
                                           .stdin_open = true,
                                           .terminal = TerminalSize{.rows = 33, .cols = 99}}));
  ATOLL_NEED_OK(co_await process->write_stdin(
      "stty size; test -t 0 && test -t 1 && test -t 2 && echo is-a-t\"\"ty\n"));
  ATOLL_NEED(std::string first, co_await read_until(process.get(), "is-a-tty"));
  EXPECT_NE(first.find("33 99"), std::string::npos) << first;
  ATOLL_NEED_OK(co_await process->resize({.rows = 40, .cols = 120}));
  ATOLL_NEED_OK(co_await process->write_stdin("stty size; echo resi\"\"zed\n"));
  ATOLL_NEED(std::string second, co_await read_until(process.get(), "resized"));
  EXPECT_NE(second.find("40 120"), std::string::npos) << second;
  ATOLL_NEED_OK(co_await process->write_stdin("exit 5\n"));
  ATOLL_NEED(ExecResult result, co_await collect(process.get()));
  EXPECT_EQ(result.status.exit_code, 5);
  EXPECT_EQ(result.stderr_bytes, "");
}
TEST_P(Conformance, GivesATerminal) { run(&terminal, {Cap::kTerminal}); }

Task<void> control_c(Box* box) {
  ATOLL_NEED(auto process,
             co_await box->sandbox->spawn({.argv = {"/bin/sh", "-c", "echo ready; exec sleep 1000"},
                                           .stdin_open = true,
                                           .terminal = TerminalSize{}}));
  ATOLL_NEED_OK(co_await read_until(process.get(), "ready"));
  ATOLL_NEED_OK(co_await process->write_stdin("\x03"));
  ATOLL_NEED(ExecResult result, co_await collect(process.get()));
  EXPECT_EQ(result.status.signal, SIGINT);
  EXPECT_EQ(result.status.exit_code, 130);
}
TEST_P(Conformance, ControlCInterrupts) { run(&control_c, {Cap::kTerminal}); }

Task<void> no_terminal_no_resize(Box* box) {
  ATOLL_NEED(auto process, co_await box->sandbox->spawn({.argv = {"sleep", "1000"}}));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument, co_await process->resize({.rows = 1, .cols = 1}));
  ATOLL_NEED_OK(co_await process->signal(SIGKILL));
}
TEST_P(Conformance, OnlyTerminalsAreResized) { run(&no_terminal_no_resize, {Cap::kTerminal}); }

Task<void> background(Box* box) {
  ATOLL_NEED(ExecResult fifo, co_await box->sandbox->exec({.argv = {"mkfifo", "gate"}}));
  ExecRequest request =
      ExecRequest::shell("head -c 3000000 /dev/zero; read x < gate; echo finished > result");
  request.background = true;
  std::uint64_t exec_id = 0;
  {
    ATOLL_NEED(auto process, co_await box->sandbox->spawn(std::move(request)));
    exec_id = process->exec_id();
  }
  // Nobody reads its 3 MB, and it gets to the gate all the same.
  ATOLL_NEED(ExecResult opener, co_await box->sandbox->exec(ExecRequest::shell("echo > gate")));
  ATOLL_NEED(auto again, co_await box->sandbox->attach(exec_id));
  ATOLL_NEED(ExecResult result, co_await collect(again.get()));
  EXPECT_EQ(result.status.exit_code, 0);
  ATOLL_NEED(std::string text, co_await box->sandbox->get_text("result"));
  EXPECT_EQ(text, "finished\n");
}
TEST_P(Conformance, BackgroundProgramsGoOnUnread) { run(&background); }

Task<void> lists(Box* box) {
  ATOLL_NEED(auto process, co_await box->sandbox->spawn({.argv = {"sleep", "4711"}}));
  ATOLL_NEED(auto processes, co_await box->sandbox->processes());
  auto found = std::ranges::find(processes, process->pid(), &ProcessInfo::pid);
  EXPECT_NE(found, processes.end());
  if (found != processes.end())
    EXPECT_NE(found->command.find("sleep"), std::string::npos) << found->command;
  ATOLL_NEED(auto executions, co_await box->sandbox->executions());
  auto listed = std::ranges::find(executions, process->exec_id(), &ExecutionInfo::exec_id);
  EXPECT_NE(listed, executions.end());
  if (listed != executions.end()) EXPECT_EQ(listed->command, "sleep 4711");
  ATOLL_NEED_OK(co_await process->signal(SIGKILL));
  ATOLL_NEED(ExecResult ended, co_await collect(process.get()));
  ATOLL_NEED(executions, co_await box->sandbox->executions());
  EXPECT_EQ(std::ranges::find(executions, process->exec_id(), &ExecutionInfo::exec_id),
            executions.end());
}
TEST_P(Conformance, ListsProcessesAndExecutions) { run(&lists); }

Task<void> one_of_many(Box* box, int number, int* done) {
  std::string text = "number " + std::to_string(number) + "\n";
  ATOLL_NEED(ExecResult result,
             co_await box->sandbox->exec(
                 {.argv = {"cat"}, .stdin_data = text + std::string(200'000, 'x')}));
  EXPECT_TRUE(result.stdout_bytes.starts_with(text));
  EXPECT_EQ(result.stdout_bytes.size(), text.size() + 200'000);
  ++*done;
}

Task<void> many_at_once(Box* box) {
  int done = 0;
  async::TaskGroup group(box->executor);
  for (int i = 0; i < 20; ++i) group.spawn(one_of_many(box, i, &done));
  co_await group.wait_idle();
  EXPECT_EQ(done, 20);
}
TEST_P(Conformance, TwentyAtOnce) { run(&many_at_once); }

// Programs can do as they like to themselves and to each other, and not to the guest.
Task<void> killing_everybody(Box* box) {
  ATOLL_NEED_OK(co_await box->sandbox->put_text("kept", "still here"));
  ATOLL_NEED(auto killer,
             co_await box->sandbox->spawn(
                 {.argv = {"python3", "-c",
                           "import os, signal\nfor number in (15, 9):\n  try: os.kill(-1, number)\n"
                           "  except OSError: pass"}}));
  (void)co_await collect(killer.get());
  EXPECT_TRUE(box->sandbox->is_running());
  ATOLL_NEED(ExecResult after, co_await box->sandbox->exec({.argv = {"cat", "kept"}}));
  EXPECT_EQ(after.stdout_bytes, "still here");
}
TEST_P(Conformance, TheGuestOutlivesAKillOfEverybody) { run(&killing_everybody, {Cap::kLimits}); }

constexpr const char* kStarve = R"(
import resource, os
guest = os.getppid()
try:
    resource.prlimit(guest, resource.RLIMIT_NOFILE, (0, 0))
    print('done')
except OSError as error:
    print('refused')
)";

Task<void> starving_the_guest(Box* box) {
  ATOLL_NEED(ExecResult tried, co_await box->sandbox->exec({.argv = {"python3", "-c", kStarve}}));
  EXPECT_EQ(tried.stdout_bytes, "refused\n") << tried.output;
  ATOLL_NEED(ExecResult after, co_await box->sandbox->exec({.argv = {"echo", "well"}}));
  EXPECT_EQ(after.stdout_bytes, "well\n");
}
TEST_P(Conformance, TheGuestsLimitsAreItsOwn) { run(&starving_the_guest, {Cap::kLimits}); }

}  // namespace
}  // namespace atl::sandbox
