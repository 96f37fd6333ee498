// The guest as an ordinary process: executions, terminals, signals.
#include <fcntl.h>
#include <signal.h>

#include <string>

#include <gtest/gtest.h>

#include "guest_fixture.hpp"

namespace atl::guest::test {
namespace {

TEST_F(Guest, RunsAProgramAndReportsItsEnd) {
  Log& log = run("printf out; printf err >&2; exit 3");
  ASSERT_EQ(log.code, Code::kOk);
  EXPECT_EQ(exec_id(log), 1u);
  EXPECT_EQ(log.data[1], "out");
  EXPECT_EQ(log.data[2], "err");
  EXPECT_TRUE(log.eof[1] && log.eof[2]);
  ASSERT_TRUE(log.exit);
  EXPECT_EQ(log.exit->exit_code, 3);
  EXPECT_EQ(log.exit->signal, 0);
  EXPECT_EQ(log.exit->flags, 0);
  EXPECT_GT(log.exit->max_rss_bytes, 0u);
  EXPECT_NE(host.boot_id, 0u);
}

TEST_F(Guest, GivesTheProgramACleanStart) {
  Log& log =
      run("ls /proc/self/fd | wc -l; cat /proc/self/status | grep -E "
          "'Sig(Blk|Ign)|NoNewPrivs|CapEff'; env; "
          "readlink /proc/self/fd/0; umask; ps -o sid=,pgid= -p $$ | tr -s ' '; echo $$");
  EXPECT_NE(log.data[1].find("SigBlk:\t0000000000000000"), std::string::npos) << log.data[1];
  // Signals 32 and 33 belong to the C library, and some parents leave them ignored.
  std::uint64_t ignored =
      std::stoull(log.data[1].substr(log.data[1].find("SigIgn:") + 8), nullptr, 16);
  EXPECT_EQ(ignored & 0x7fffffff, 0u) << log.data[1];
  EXPECT_NE(log.data[1].find("CapEff:\t0000000000000000"), std::string::npos);
  EXPECT_NE(log.data[1].find("NoNewPrivs:\t1"), std::string::npos);
  EXPECT_NE(log.data[1].find("/dev/null"), std::string::npos);
  EXPECT_TRUE(log.data[1].starts_with("4\n")) << log.data[1];  // 0, 1, 2 and ls's own
}

TEST_F(Guest, SaysWhyAProgramDidNotStart) {
  auto code = [&](const ExecArgs& args) { return *run(args).code; };
  EXPECT_EQ(code({.argv = {"no-such-program"}, .env = {"PATH=/bin:/usr/bin"}}),
            Code::kProgramNotFound);
  EXPECT_EQ(code({.argv = {"/etc/passwd"}}), Code::kProgramNotExecutable);
  EXPECT_EQ(code({.argv = {"/tmp"}}), Code::kProgramNotExecutable);
  EXPECT_EQ(code({.cwd = "/no/such/folder", .argv = {"/bin/true"}}), Code::kInvalidArgument);
  EXPECT_EQ(code({}), Code::kInvalidArgument);
  EXPECT_EQ(code({.argv = {std::string("a\0b", 3)}}), Code::kInvalidArgument);
  EXPECT_EQ(code({.argv = {"true"}}), Code::kOk);  // default PATH, default folder
}

TEST_F(Guest, SignalsBecomeExitCodes) {
  Log& log = run("kill -TERM $$");
  EXPECT_EQ(log.exit->exit_code, 128 + SIGTERM);
  EXPECT_EQ(log.exit->signal, SIGTERM);
}

TEST_F(Guest, FeedsStdin) {
  ExecArgs args = shell("wc -c");
  args.flags = ExecArgs::kStdinOpen;
  std::uint32_t channel = host.open(Op::kExec, args);
  host.send_data(channel, std::string(3'000'000, 'x'));
  host.send(FrameType::kEof, channel, kStdin, "");
  EXPECT_EQ(host.finish(channel).data[1], "3000000\n");
}

TEST_F(Guest, GivesAProgramAControlSocket) {
  ExecArgs args = shell(
      "read -r line <&3; echo \"heard $line\" >&3; read -r end <&3; "
      "readlink /proc/self/fd/0; ls /proc/self/fd | wc -l; exit 4");
  args.flags = ExecArgs::kControlSocket;
  std::uint32_t channel = host.open(Op::kExec, args);
  host.send_data(channel, "a word\n");
  host.until([&] { return host[channel].data[kControl] == "heard a word\n"; });
  host.send(FrameType::kEof, channel, kStdin, "");
  Log& log = host.finish(channel);
  EXPECT_EQ(log.data[kStdout], "/dev/null\n5\n");  // 0 to 3, and ls's own
  EXPECT_TRUE(log.eof[kControl]);
  EXPECT_EQ(log.exit->exit_code, 4);
}

TEST_F(Guest, OutputBeforeAControlMessageArrivesBeforeIt) {
  ExecArgs args = shell(
      "i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo out; echo err >&2; "
      "echo >&3; read -r next <&3; done");
  args.flags = ExecArgs::kControlSocket;
  std::uint32_t channel = host.open(Op::kExec, args);
  for (std::size_t round = 1; round <= 300; ++round) {
    ASSERT_TRUE(host.until([&] { return host[channel].data[kControl].size() == round; }));
    ASSERT_EQ(host[channel].data[kStdout].size(), 4 * round);
    ASSERT_EQ(host[channel].data[kStderr].size(), 4 * round);
    host.send_data(channel, "\n");
  }
  EXPECT_EQ(host.finish(channel).exit->exit_code, 0);
}

TEST_F(Guest, WhatAProgramWithAControlSocketStartedEndsWithIt) {
  ExecArgs args = shell("sleep 600 & echo $! >&3; kill -KILL $$");
  args.flags = ExecArgs::kControlSocket;
  Log& log = run(args);
  EXPECT_EQ(log.exit->signal, SIGKILL);
  pid_t child = std::stoi(log.data[kControl]);
  // The guest reaps it as well; until then it is a zombie.
  Log& state =
      run("while [ -d /proc/" + std::to_string(child) + " ]; do sleep 0.01; done; echo gone");
  EXPECT_EQ(state.data[kStdout], "gone\n");
}

// Nobody acknowledges, so the ring fills: the message behind the output must wait for it.
TEST_F(Guest, AControlMessageWaitsForOutputThatFillsTheWindow) {
  host.auto_credit = false;
  ExecArgs args = shell("head -c 600000 /dev/zero; echo done >&3");
  args.flags = ExecArgs::kControlSocket;
  std::uint32_t channel = host.open(Op::kExec, args);
  Log& log = host[channel];
  std::size_t credited = 0;
  while (log.data[kControl].empty()) {
    ASSERT_TRUE(host.step());
    if (log.data[kStdout].size() < kWindow) continue;
    host.credit(channel, kStdout, log.data[kStdout].size() - credited);
    credited = log.data[kStdout].size();
  }
  EXPECT_EQ(log.data[kStdout].size(), 600'000u);
  host.auto_credit = true;
  EXPECT_EQ(host.finish(channel).exit->exit_code, 0);
}

TEST_F(Guest, ANewHostGoesOnWithTheControlStream) {
  ExecArgs args = shell("echo one >&3; read -r go <&3; echo two >&3; read -r go <&3");
  args.flags = ExecArgs::kControlSocket;
  host.auto_credit = false;
  std::uint32_t channel = host.open(Op::kExec, args);
  host.until([&] { return host[channel].data[kControl] == "one\n"; });
  std::uint64_t id = exec_id(host[channel]);
  host.close();
  Host second(guest);
  std::uint32_t again = second.open(Op::kAttach, Writer().number(id));
  second.until([&] { return second[again].data[kControl] == "one\n"; });  // nobody acknowledged it
  second.send_data(again, "go\n");
  second.until([&] { return second[again].data[kControl] == "one\ntwo\n"; });
  second.send_data(again, "go\n");
  EXPECT_EQ(second.finish(again).exit->exit_code, 0);
}

TEST_F(Guest, AProgramThatClosesStdinDiscardsTheRest) {
  ExecArgs args = shell("exec <&-; echo closed; read x < /dev/null; sleep 0.1; exit 5");
  args.flags = ExecArgs::kStdinOpen;
  std::uint32_t channel = host.open(Op::kExec, args);
  host.until([&] { return host[channel].data[1] == "closed\n"; });
  host.send_data(channel, std::string(2'000'000, 'x'));  // more than the window: needs credit back
  EXPECT_EQ(host.finish(channel).exit->exit_code, 5);
}

TEST_F(Guest, SlowReaderGetsEveryByteInFlatMemory) {
  constexpr std::size_t kTotal = 100'000'000;
  host.auto_credit = false;
  std::uint32_t channel = host.open(Op::kExec, shell("head -c 100000000 /dev/zero; echo end >&2"));
  host.replied(channel);
  std::size_t got = 0;
  std::uint64_t most = 0;
  while (!host[channel].closed) {
    ASSERT_TRUE(host.step());
    Log& log = host[channel];
    if (log.data[1].size() >= kMaxPayload) {
      host.credit(channel, kStdout, log.data[1].size());
      got += log.data[1].size();
      log.data[1].clear();
      if (got % (64 * kMaxPayload) == 0) most = std::max(most, guest.rss_bytes());
    }
  }
  got += host[channel].data[1].size();
  EXPECT_EQ(got, kTotal);
  EXPECT_EQ(host[channel].data[2], "end\n");
  EXPECT_EQ(host[channel].exit->exit_code, 0);
  EXPECT_EQ(host[channel].exit->flags, 0);
  EXPECT_LT(most, 8u << 20);
}

TEST_F(Guest, SeveralExecutionsRunAtOnce) {
  std::vector<std::uint32_t> channels;
  for (int i = 0; i < 20; ++i) {
    channels.push_back(host.open(
        Op::kExec, shell("head -c 1000000 /dev/zero | tr '\\0' x; exit " + std::to_string(i))));
  }
  for (int i = 0; i < 20; ++i) {
    Log& log = host.finish(channels[static_cast<std::size_t>(i)]);
    EXPECT_EQ(log.data[1], std::string(1'000'000, 'x'));
    EXPECT_EQ(log.exit->exit_code, i);
  }
}

TEST_F(Guest, TimeoutKillsTheWholeGroup) {
  ExecArgs args = shell("sleep 1000 & sleep 1001 & echo $!; wait");
  args.timeout_ms = 200;
  Log& log = run(args);
  EXPECT_EQ(log.exit->flags, ExitInfo::kTimedOut);
  EXPECT_EQ(log.exit->exit_code, 137);
  pid_t last = std::stoi(log.data[1]);
  // Dead is dead at once; collected a moment later, by the guest, in its own time.
  while (::kill(last, 0) == 0) ASSERT_TRUE(run("true").exit);
}

TEST_F(Guest, OutputEndsWithTheProgramNotWithItsChildren) {
  Log& log = run("(sleep 1000; echo late) & echo now");
  EXPECT_EQ(log.data[1], "now\n");
  EXPECT_EQ(log.exit->exit_code, 0);
}

TEST_F(Guest, SignalsReachTheGroupOrTheLeader) {
  std::uint32_t channel = host.open(
      Op::kExec, shell("trap 'echo got; exit 7' USR1; echo ready; while :; do sleep 0.01; done"));
  host.until([&] { return host[channel].data[1] == "ready\n"; });
  std::uint64_t id = exec_id(host[channel]);
  Writer arguments;
  arguments.number(id).number(std::int32_t{SIGUSR1}).number(std::uint8_t{0});
  EXPECT_EQ(host.run(Op::kSignal, arguments).code, Code::kOk);
  EXPECT_EQ(host.finish(channel).exit->exit_code, 7);
  EXPECT_EQ(host.run(Op::kSignal, arguments).code, Code::kNotFound);
  EXPECT_EQ(
      host.run(Op::kSignal, Writer().number(std::uint64_t{99}).number(9).number(std::uint8_t{1}))
          .code,
      Code::kNotFound);

  channel = host.open(Op::kExec, shell("sleep 1000 | sleep 1000"));
  id = exec_id(host.replied(channel));
  host.run(Op::kSignal, Writer().number(id).number(std::int32_t{SIGKILL}).number(std::uint8_t{1}));
  EXPECT_EQ(host.finish(channel).exit->signal, SIGKILL);
}

TEST_F(Guest, TerminalHasASizeAndEndsWithItsProgram) {
  ExecArgs args = shell("stty size; read line; echo got $line; stty size; cat");
  args.flags = ExecArgs::kTty | ExecArgs::kStdinOpen;
  args.rows = 33;
  args.cols = 77;
  std::uint32_t channel = host.open(Op::kExec, args);
  host.until([&] { return host[channel].data[1].find("33 77") != std::string::npos; });
  std::uint64_t id = exec_id(host[channel]);
  Writer size;
  size.number(id).number(std::uint16_t{40}).number(std::uint16_t{100});
  EXPECT_EQ(host.run(Op::kResize, size).code, Code::kOk);
  host.send_data(channel, "hello\n");
  host.until([&] { return host[channel].data[1].find("40 100") != std::string::npos; });
  EXPECT_NE(host[channel].data[1].find("got hello"), std::string::npos);
  host.send(FrameType::kEof, channel, kStdin, "");  // becomes ^D, which ends cat
  Log& log = host.finish(channel);
  EXPECT_EQ(log.exit->exit_code, 0);
  EXPECT_FALSE(log.eof[2]);
}

TEST_F(Guest, ListsProcessesButNotItself) {
  std::uint32_t channel = host.open(Op::kExec, ExecArgs{.argv = {"sleep", "999"}});
  auto started = decoded<ExecStarted>(host.replied(channel).reply).value();
  bool found = false;
  for (const ProcessInfo& info :
       records_of<ProcessInfo>(host.run(Op::kProcesses, Writer()).data[1])) {
    EXPECT_NE(info.pid, guest.pid());
    if (info.pid == started.pid) {
      found = true;
      EXPECT_EQ(info.command, "sleep 999");
      EXPECT_EQ(info.parent, guest.pid());
    }
  }
  EXPECT_TRUE(found);
}

TEST_F(Guest, ReapsOrphans) {
  Log& log = run("(sleep 0.01 & echo $!) ; exit 0");
  pid_t orphan = std::stoi(log.data[1]);
  while (::kill(orphan, 0) == 0) ASSERT_TRUE(run("true").exit);
}

}  // namespace
}  // namespace atl::guest::test
