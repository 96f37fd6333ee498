// Running programs: arguments, environment, input, exit codes, errors.
#include <signal.h>

#include <algorithm>

#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

using async::Task;
using namespace std::string_literals;

Task<void> runs_argv(Box* box) {
  ATOLL_NEED(ExecResult result,
             co_await box->sandbox->exec({.argv = {"printf", "%s|", "a b", "$HOME", "", "*"}}));
  EXPECT_EQ(result.stdout_bytes, "a b|$HOME||*|");
  EXPECT_EQ(result.stderr_bytes, "");
  EXPECT_EQ(result.status.exit_code, 0);
  EXPECT_FALSE(result.status.timed_out);
  EXPECT_FALSE(result.status.truncated);
}
TEST_P(Conformance, RunsArgv) { run(&runs_argv); }

Task<void> keeps_streams_apart(Box* box) {
  ATOLL_NEED(ExecResult result,
             co_await box->sandbox->exec(ExecRequest::shell("echo out; echo err >&2; exit 3")));
  EXPECT_EQ(result.stdout_bytes, "out\n");
  EXPECT_EQ(result.stderr_bytes, "err\n");
  EXPECT_EQ(result.output.size(), 8u);
  EXPECT_EQ(result.status.exit_code, 3);
}
TEST_P(Conformance, KeepsStreamsApart) { run(&keeps_streams_apart); }

Task<void> environment(Box* box) {
  ExecRequest request =
      ExecRequest::shell("echo \"$A|$B|$HOME|$LANG|$PYTHONUNBUFFERED|$USER|$SECRET_OF_THE_HOST\"");
  request.env = {{"A", "1 2"}, {"B", "x=y"}};
  ATOLL_NEED(ExecResult result, co_await box->sandbox->exec(std::move(request)));
  EXPECT_EQ(result.stdout_bytes, "1 2|x=y|" + box->sandbox->workspace() + "|C.UTF-8|1|user|\n");
}
TEST_P(Conformance, GivesTheEnvironment) { run(&environment); }

Task<void> working_folder(Box* box) {
  ATOLL_NEED(ExecResult home, co_await box->sandbox->exec({.argv = {"pwd"}}));
  EXPECT_EQ(home.stdout_bytes, box->sandbox->workspace() + "\n");
  ATOLL_NEED_OK(co_await box->sandbox->make_dir("sub/folder", 0755, true));
  ATOLL_NEED(ExecResult relative,
             co_await box->sandbox->exec({.argv = {"pwd"}, .cwd = "sub/folder"}));
  EXPECT_EQ(relative.stdout_bytes, box->path("sub/folder") + "\n");
  ATOLL_NEED(ExecResult root, co_await box->sandbox->exec({.argv = {"pwd"}, .cwd = "/"}));
  EXPECT_EQ(root.stdout_bytes, "/\n");
  ATOLL_EXPECT_CODE(Code::kInvalidArgument,
                    co_await box->sandbox->spawn({.argv = {"pwd"}, .cwd = "/no/such/folder"}));
}
TEST_P(Conformance, StartsInTheWorkingFolder) { run(&working_folder); }

Task<void> reads_stdin(Box* box) {
  ATOLL_NEED(ExecResult given,
             co_await box->sandbox->exec({.argv = {"cat"}, .stdin_data = "in\0put\xff"s}));
  EXPECT_EQ(given.stdout_bytes, "in\0put\xff"s);
  ATOLL_NEED(ExecResult none, co_await box->sandbox->exec({.argv = {"cat"}}));
  EXPECT_EQ(none.stdout_bytes, "");
  std::string large(3'000'000, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 7 + i / 251);
  ATOLL_NEED(ExecResult copied,
             co_await box->sandbox->exec({.argv = {"cat"}, .stdin_data = large}));
  EXPECT_TRUE(copied.stdout_bytes == large) << "3 MB through cat changed";
  // A program that does not read its input is no error.
  ATOLL_NEED(ExecResult deaf, co_await box->sandbox->exec({.argv = {"true"}, .stdin_data = large}));
  EXPECT_EQ(deaf.status.exit_code, 0);
}
TEST_P(Conformance, ReadsStdin) { run(&reads_stdin, {Cap::kStdin}); }

Task<void> talks_back_and_forth(Box* box) {
  ATOLL_NEED(auto process,
             co_await box->sandbox->spawn(
                 {.argv = {"/bin/sh", "-c", "while read x; do echo got $x; done; echo end"},
                  .stdin_open = true}));
  ATOLL_NEED_OK(co_await process->write_stdin("one\n"));
  ATOLL_NEED_OK(co_await read_until(process.get(), "got one\n"));
  ATOLL_NEED_OK(co_await process->write_stdin("two\n"));
  ATOLL_NEED_OK(co_await read_until(process.get(), "got two\n"));
  ATOLL_NEED_OK(co_await process->close_stdin());
  ATOLL_NEED(ExecResult rest, co_await collect(process.get()));
  EXPECT_EQ(rest.stdout_bytes, "end\n");
}
TEST_P(Conformance, TalksBackAndForth) { run(&talks_back_and_forth, {Cap::kStdin}); }

Task<void> exit_codes(Box* box) {
  for (int code : {0, 1, 2, 42, 126, 127, 255}) {
    ATOLL_NEED(ExecResult result,
               co_await box->sandbox->exec(ExecRequest::shell("exit " + std::to_string(code))));
    EXPECT_EQ(result.status.exit_code, code);
    EXPECT_EQ(result.status.signal, 0);
  }
  ATOLL_NEED(ExecResult killed, co_await box->sandbox->exec(ExecRequest::shell("kill -TERM $$")));
  EXPECT_EQ(killed.status.signal, SIGTERM);
  EXPECT_EQ(killed.status.exit_code, 128 + SIGTERM);
}
TEST_P(Conformance, ReportsExitCodes) { run(&exit_codes); }

Task<void> cannot_start(Box* box) {
  ATOLL_EXPECT_CODE(Code::kProgramNotFound,
                    co_await box->sandbox->spawn({.argv = {"no-such-program"}}));
  ATOLL_EXPECT_CODE(Code::kProgramNotFound,
                    co_await box->sandbox->spawn({.argv = {"/no/such/program"}}));
  ATOLL_NEED_OK(co_await box->sandbox->put_text("plain.txt", "not a program", 0644));
  ATOLL_EXPECT_CODE(Code::kProgramNotExecutable,
                    co_await box->sandbox->spawn({.argv = {box->path("plain.txt")}}));
  ATOLL_EXPECT_CODE(Code::kProgramNotExecutable, co_await box->sandbox->spawn({.argv = {"/"}}));
}
TEST_P(Conformance, SaysWhyAProgramCannotStart) { run(&cannot_start); }

Task<void> refuses_nonsense(Box* box) {
  ATOLL_EXPECT_CODE(Code::kInvalidArgument, co_await box->sandbox->exec({}));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument,
                    co_await box->sandbox->exec({.argv = {"echo", "a\0b"s}}));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument,
                    co_await box->sandbox->exec({.argv = {"true"}, .env = {{"A=B", "x"}}}));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument,
                    co_await box->sandbox->exec({.argv = {"true"}, .env = {{"A", "x\0"s}}}));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument,
                    co_await box->sandbox->exec({.argv = {"true"}, .cwd = "a\0b"s}));
  ATOLL_EXPECT_CODE(Code::kTooLarge,
                    co_await box->sandbox->exec({.argv = {"true", std::string(1'000'000, 'x')}}));
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->attach(UINT64_MAX));
  ATOLL_NEED(ExecResult fine, co_await box->sandbox->exec({.argv = {"true"}}));
  EXPECT_EQ(fine.status.exit_code, 0);
}
TEST_P(Conformance, RefusesNonsense) { run(&refuses_nonsense); }

Task<void> times_out(Box* box) {
  ExecRequest request = ExecRequest::shell("echo before; sleep 1000.0625 & sleep 1000.0625");
  request.timeout = std::chrono::seconds(3);  // enough for the first word on a busy machine
  ATOLL_NEED(ExecResult result, co_await box->sandbox->exec(std::move(request)));
  EXPECT_TRUE(result.status.timed_out);
  EXPECT_EQ(result.stdout_bytes, "before\n");
  EXPECT_EQ(result.status.signal, SIGKILL);
  // The whole group goes, also what ran in the background.
  for (bool left = true; left;) {
    ATOLL_NEED(auto processes, co_await box->sandbox->processes());
    left = std::ranges::any_of(processes, [](const ProcessInfo& one) {
      return one.command.find("1000.0625") != std::string::npos;
    });
  }
}
TEST_P(Conformance, KillsAtTheTimeOut) { run(&times_out); }

// Ends when it may, and everybody who has "fifo" open for writing is gone.
ExecRequest watcher(const Box& box) {
  ExecRequest request = ExecRequest::shell(
      "mkfifo fifo && exec 7<>fifo 8<fifo && echo ready && read go && exec 7>&- && cat <&8 && "
      "echo closed");
  request.cwd = box.sandbox->workspace();
  request.stdin_open = true;
  return request;
}

// In a session of its own, in one without a living parent, and deaf.
ExecRequest leaver(const Box& box) {
  ExecRequest request = ExecRequest::shell(
      "exec 9>fifo; setsid sleep 1000 & setsid --fork setsid --fork sleep 1000; "
      "(trap '' HUP INT TERM; setsid sh -c 'sleep 1000; sleep 1000' &); echo left; sleep 1000");
  request.cwd = box.sandbox->workspace();
  return request;
}

Task<void> nobody_leaves(Box* box) {
  ATOLL_NEED(auto other, co_await box->sandbox->spawn(watcher(*box)));
  ATOLL_NEED_OK(co_await read_until(other.get(), "ready\n"));
  ExecRequest late = leaver(*box);
  late.timeout = std::chrono::seconds(2);
  ATOLL_NEED(ExecResult result, co_await box->sandbox->exec(std::move(late)));
  EXPECT_TRUE(result.status.timed_out);
  ATOLL_NEED(auto killed, co_await box->sandbox->spawn(leaver(*box)));
  ATOLL_NEED_OK(co_await read_until(killed.get(), "left\n"));
  ATOLL_NEED_OK(co_await killed->signal(SIGKILL));
  ATOLL_NEED(ExecResult end, co_await collect(killed.get()));
  EXPECT_EQ(end.status.signal, SIGKILL);
  // Ended by another signal first: what that did not reach goes as well. (Not SIGINT, which a shell
  // that is just starting a program does not heed.)
  ATOLL_NEED(auto stopped, co_await box->sandbox->spawn(leaver(*box)));
  ATOLL_NEED_OK(co_await read_until(stopped.get(), "left\n"));
  ATOLL_NEED_OK(co_await stopped->signal(SIGUSR1));
  ATOLL_NEED(ExecResult interrupted, co_await collect(stopped.get()));
  EXPECT_EQ(interrupted.status.signal, SIGUSR1);
  ATOLL_NEED_OK(co_await stopped->signal(SIGKILL));
  ATOLL_NEED_OK(co_await other->write_stdin("go\n"));
  ATOLL_NEED(ExecResult rest, co_await collect(other.get()));
  EXPECT_EQ(rest.stdout_bytes, "closed\n");
}
TEST_P(Conformance, NothingLeavesAnExecution) {
  run(&nobody_leaves, {Cap::kGuest, Cap::kStdin, Cap::kSignals});
}

// The limit that carries the mark can be read and not set.
Task<void> marks_stay(Box* box) {
  ExecRequest request = ExecRequest::shell(
      "python3 -c 'import resource as r; print(r.getrlimit(10)[1] % 2**22 == "
      "__import__(\"os\").getsid(0))\ntry: r.setrlimit(10, (7, 7))\nexcept Exception as e: "
      "print(type(e).__name__)\ntry: r.prlimit(0, 10, (7, 7))\nexcept Exception as e: "
      "print(type(e).__name__)'");
  ATOLL_NEED(ExecResult result, co_await box->sandbox->exec(std::move(request)));
  EXPECT_EQ(result.stdout_bytes, "True\nValueError\nPermissionError\n") << result.stderr_bytes;
}
TEST_P(Conformance, AnExecutionKeepsItsMark) { run(&marks_stay, {Cap::kGuest}); }

}  // namespace
}  // namespace atl::sandbox
