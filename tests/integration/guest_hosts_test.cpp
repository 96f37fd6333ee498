// The guest as an ordinary process: hosts that come, go, come back, or mean no good.
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "guest_fixture.hpp"

namespace atl::guest::test {
namespace {

TEST_F(Guest, ReattachLosesAndDoublesNothing) {
  // 2 MB with a known pattern; the host goes away three times in the middle of it.
  std::uint32_t channel = host.open(Op::kExec, shell("seq 1 300000"));
  std::uint64_t id = exec_id(host.replied(channel));
  std::string all;
  auto* current = &host;
  std::vector<std::unique_ptr<Host>> later;
  for (int round = 0; round < 3; ++round) {
    current->auto_credit = false;
    std::size_t kept = 0;
    while (kept < 300'000) {
      ASSERT_TRUE(current->step());
      std::string& data = (*current)[channel].data[1];
      if (data.empty()) continue;
      std::string half = data.substr(0, data.size() / 2 + 1);  // the rest is read but never
                                                               // acknowledged
      current->credit(channel, kStdout, half.size());
      all += half;
      kept += half.size();
      data.erase(0, half.size());
    }
    // Acknowledged is what the guest knows: a ping tells that the credits have arrived.
    current->send(FrameType::kPing, 0, 0, "x");
    ASSERT_TRUE(current->until([&] { return current->pong == "x"; }));
    std::string& rest = (*current)[channel].data[1];
    if (!rest.empty()) {
      current->credit(channel, kStdout, rest.size());
      all += rest;
      rest.clear();
      current->pong.clear();
      current->send(FrameType::kPing, 0, 0, "y");
      ASSERT_TRUE(current->until([&] { return current->pong == "y"; }));
    }
    later.push_back(std::make_unique<Host>(guest));  // supersedes the old connection
    current = later.back().get();
    channel = current->open(Op::kAttach, Writer().number(id));
    ASSERT_EQ(current->replied(channel).code, Code::kOk);
  }
  current->auto_credit = true;
  std::string tail = std::move((*current)[channel].data[1]);
  (*current)[channel].data[1].clear();
  if (!tail.empty()) current->credit(channel, kStdout, tail.size());
  Log& log = current->finish(channel);
  all += tail + log.data[1];
  std::string expected;
  for (int i = 1; i <= 300000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(all.size(), expected.size());
  EXPECT_TRUE(all == expected);
  EXPECT_EQ(log.exit->flags, 0);
  EXPECT_FALSE(host.until([] { return false; }));  // the first connection was closed by the guest
}

TEST_F(Guest, EndedExecutionsWaitToBeCollected) {
  TempDir dir;
  std::string gate = dir.path() + "/gate";
  ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
  std::uint32_t channel = host.open(Op::kExec, shell("read x < " + gate + "; echo result; exit 9"));
  std::uint64_t id = exec_id(host.replied(channel));
  host.send(FrameType::kClose, channel, 0, "");
  EXPECT_TRUE(host.finish(channel).closed);
  UniqueFd(::open(gate.c_str(), O_WRONLY | O_CLOEXEC)).reset();  // nobody waits for it any more
  auto list = [&] {
    return records_of<ExecutionInfo>(host.run(Op::kExecutions, Writer()).data[1]);
  };
  while (list().at(0).running != 0) continue;
  EXPECT_EQ(list().at(0).exec_id, id);
  Log& log = host.run(Op::kAttach, Writer().number(id));
  EXPECT_EQ(log.data[1], "result\n");
  EXPECT_EQ(log.exit->exit_code, 9);
  EXPECT_TRUE(list().empty());  // collected
  EXPECT_EQ(host.run(Op::kAttach, Writer().number(std::uint64_t{77})).code, Code::kNotFound);
  // A host that died with the result in its hands can have it again.
  Host next(guest);
  EXPECT_EQ(next.run(Op::kAttach, Writer().number(id)).exit->exit_code, 9);
}

TEST_F(Guest, WithoutAReaderOutputIsDroppedAndTheProgramGoesOn) {
  std::uint32_t channel = host.open(Op::kExec, shell("head -c 3000000 /dev/zero; exit 4"));
  std::uint64_t id = exec_id(host.replied(channel));
  host.auto_credit = false;
  host.send(FrameType::kClose, channel, 0, "");
  host.finish(channel);
  host.auto_credit = true;
  auto running = [&] {
    return records_of<ExecutionInfo>(host.run(Op::kExecutions, Writer()).data[1]).at(0).running;
  };
  while (running() != 0) continue;
  Log& log = host.run(Op::kAttach, Writer().number(id));
  EXPECT_EQ(log.exit->exit_code, 4);
  EXPECT_EQ(log.exit->flags, ExitInfo::kStdoutTruncated);
  EXPECT_LE(log.data[1].size(), kWindow);
}

TEST_F(Guest, RefusesStrangers) {
  Token wrong = guest.token();
  wrong[31] ^= 1;
  Host stranger(guest.connect(), wrong);
  EXPECT_FALSE(stranger.step());
  Host hasty(guest.connect(), std::nullopt);
  hasty.open(Op::kExecutions, Writer());
  EXPECT_FALSE(hasty.step());
  EXPECT_EQ(run("true").exit->exit_code, 0);  // the host itself is unharmed
  // Silent strangers fill four places; a fifth is turned away, and none of them keeps the host out.
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 4; ++i) silent.push_back(guest.connect());
  EXPECT_EQ(run("true").exit->exit_code, 0);
  Host fifth(guest.connect(), std::nullopt);
  EXPECT_FALSE(fifth.step());
  silent.clear();
  EXPECT_EQ(run("true").exit->exit_code, 0);
  Host again(guest);
  EXPECT_TRUE(again.step());
}

TEST_F(Guest, ViolationsCloseTheConnectionAndNothingElse) {
  std::uint32_t channel = host.open(Op::kExec, shell("sleep 1000"));
  std::uint64_t id = exec_id(host.replied(channel));
  auto violates = [&](auto action) {
    Host bad(guest);
    EXPECT_TRUE(bad.step());  // kHelloOk
    action(bad);
    EXPECT_FALSE(bad.until([] { return false; }));
  };
  violates([](Host& bad) { bad.send_raw(std::string(64, '\xff')); });
  violates([](Host& bad) { bad.send(FrameType::kReply, 1, 0, ""); });
  violates([](Host& bad) { bad.send(FrameType::kData, 1, 1, "x"); });
  violates([](Host& bad) { bad.send(FrameType::kData, 0, 0, "x"); });
  violates([](Host& bad) { bad.send(FrameType::kOpen, 1, 0, "x"); });
  violates([](Host& bad) { bad.send(FrameType::kPing, 0, 0, std::string(65, 'x')); });
  violates([](Host& bad) { bad.send(FrameType::kCredit, 5, 1, "abc"); });
  violates([](Host& bad) { bad.credit(bad.open(Op::kExec, shell("sleep 1000")), kStdout, 1); });
  violates([](Host& bad) {
    std::string again = Writer().number(Op::kExec).raw(encoded(shell("sleep 1000"))).bytes();
    bad.send(FrameType::kOpen, 9, 0, again);
    bad.send(FrameType::kOpen, 9, 0, again);
  });
  violates([](Host& bad) {  // more than the window, into a program that does not read
    ExecArgs args = shell("sleep 1000");
    args.flags = ExecArgs::kStdinOpen;
    std::uint32_t mine = bad.open(Op::kExec, args);
    for (int i = 0; i < 20; ++i) bad.send(FrameType::kData, mine, 0, std::string(kMaxPayload, 'x'));
  });
  Host good(guest);
  EXPECT_EQ(good.replied(good.open(Op::kAttach, Writer().number(id))).code, Code::kOk);
  EXPECT_EQ(good.run(static_cast<Op>(999), Writer()).code, Code::kUnsupported);
  EXPECT_EQ(good.run(Op::kStat, Writer()).code, Code::kInvalidArgument);
}

TEST_F(Guest, AFloodOfPingsFromAHostThatDoesNotReadIsBounded) {
  auto header = encode_header({64, 0, FrameType::kPing, 0});
  std::string pings;
  for (int i = 0; i < 10'000; ++i) pings.append(header.data(), header.size()).append(64, 'x');
  UniqueFd fd = guest.connect();
  ::fcntl(fd.get(), F_SETFL, O_NONBLOCK);
  Writer hello;
  hello.number(kMagic).number(kVersion).raw(
      {reinterpret_cast<const char*>(guest.token().data()), kTokenSize});
  auto hello_header =
      encode_header({static_cast<std::uint32_t>(hello.bytes().size()), 0, FrameType::kHello, 0});
  std::string first = std::string(hello_header.data(), hello_header.size()) + hello.bytes();
  ASSERT_EQ(::send(fd.get(), first.data(), first.size(), 0), static_cast<ssize_t>(first.size()));
  // Writes until the guest stops listening for good: it must, long before this.
  std::size_t sent = 0;
  for (int idle = 0; idle < 50 && sent < 50'000'000;) {
    ssize_t size = ::send(fd.get(), pings.data(), pings.size() / 76 * 76, MSG_NOSIGNAL);
    if (size > 0) {
      sent += static_cast<std::size_t>(size);
      if (size % 76 != 0) break;  // a cut frame: full
      idle = 0;
    } else {
      ++idle;
      ::sched_yield();
    }
  }
  EXPECT_LT(guest.rss_bytes(), 12u << 20);
}

TEST(GuestStdio, ServesOneHostAndEndsWithIt) {
  int to_guest[2];
  int from_guest[2];
  ASSERT_EQ(::pipe2(to_guest, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(from_guest, O_CLOEXEC), 0);
  pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(to_guest[0], 0);
    ::dup2(from_guest[1], 1);
    ::execl(ATOLL_GUEST, "atoll-guest", "--stdio", nullptr);
    ::_exit(127);
  }
  ::close(to_guest[0]);
  ::close(from_guest[1]);
  pid_t sleeper = 0;
  {
    Host host{UniqueFd(from_guest[0]), UniqueFd(to_guest[1])};
    Log& log = host.finish(host.open(
        Op::kExec,
        shell(
            "cat /proc/self/status | grep Seccomp:; setsid sleep 1000 >/dev/null 2>&1 & echo $!")));
    EXPECT_NE(log.data[1].find("Seccomp:\t2"), std::string::npos) << log.data[1];
    sleeper = std::stoi(log.data[1].substr(log.data[1].find('\n') + 1));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_NE(::kill(sleeper, 0), 0);  // nothing stays behind
}

}  // namespace
}  // namespace atl::guest::test
