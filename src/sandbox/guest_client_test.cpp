// The client against a guest whose every frame the test writes itself.
#include "sandbox/guest_client.hpp"

#include <sys/socket.h>

#include <array>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "async/run.hpp"
#include "guest/frame.hpp"
#include "guest/wire.hpp"

namespace atl::sandbox {
namespace {

using async::Executor;
using async::FdKind;
using async::Task;
using guest::FrameType;
using guest::Op;

// The guest's end of a socket pair.
class Peer {
 public:
  Peer(Executor executor, UniqueFd fd)
      : stream_(std::move(executor), std::move(fd), FdKind::kSocket) {}

  Task<guest::FrameHeader> next(std::string* payload) {
    for (;;) {
      auto frame = reader_.next();
      if (frame && *frame) {
        payload->assign((*frame)->payload);
        co_return (*frame)->header;
      }
      std::span<char> room = reader_.prepare();
      Result<std::size_t> got = co_await stream_.read_some(room);
      if (!got || *got == 0) co_return guest::FrameHeader{};
      reader_.commit(*got);
    }
  }
  Task<void> send(FrameType type, std::uint32_t channel, std::uint8_t stream, std::string payload) {
    auto header = guest::encode_header({.length = static_cast<std::uint32_t>(payload.size()),
                                        .channel = channel,
                                        .type = type,
                                        .stream = stream});
    std::string bytes(header.data(), header.size());
    bytes += payload;
    static_cast<void>(co_await stream_.write_all(bytes));
  }
  Task<void> hello() {
    std::string payload;
    guest::FrameHeader header = co_await next(&payload);
    EXPECT_EQ(header.type, FrameType::kHello);
    guest::Writer answer;
    answer.number(guest::kMagic).number(guest::kVersion).number(std::uint64_t{42});
    co_await send(FrameType::kHelloOk, 0, 0, std::move(answer).bytes());
  }
  Task<std::uint32_t> opened() {
    std::string payload;
    guest::FrameHeader header = co_await next(&payload);
    EXPECT_EQ(header.type, FrameType::kOpen);
    co_return header.channel;
  }
  Task<void> reply_ok(std::uint32_t channel, std::string result) {
    guest::Writer reply;
    reply.number(static_cast<std::uint16_t>(Code::kOk)).raw(result);
    co_await send(FrameType::kReply, channel, 0, std::move(reply).bytes());
  }
  async::Stream& stream() { return stream_; }

 private:
  async::Stream stream_;
  guest::FrameReader reader_;
};

struct Rig {
  explicit Rig(Executor executor) {
    std::array<int, 2> fds{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), 0);
    peer = std::make_unique<Peer>(executor, UniqueFd(fds[0]));
    client = std::make_unique<GuestClient>(
        executor, async::Stream(executor, UniqueFd(fds[1]), FdKind::kSocket), guest::Token{});
  }
  std::unique_ptr<Peer> peer;
  std::unique_ptr<GuestClient> client;
};

void run(Task<void> (*test)(Executor)) {
  async::run_to_end<void>([test](Executor executor) { return test(std::move(executor)); });
}

// Until the client has read everything that was sent: a ping comes back behind it. How many frames
// the client sent before it.
Task<int> settle(Executor executor, Rig* rig) {
  async::TaskGroup group(executor);
  bool done = false;
  auto ping = [](Rig* with, bool* flag) -> Task<void> {
    Result<void> answered = co_await with->client->ping();
    EXPECT_TRUE(answered.has_value());
    *flag = true;
  };
  group.spawn(ping(rig, &done));
  std::string payload;
  int others = 0;
  guest::FrameHeader header = co_await rig->peer->next(&payload);
  while (header.type != FrameType::kPing) {
    ++others;
    header = co_await rig->peer->next(&payload);
  }
  co_await rig->peer->send(FrameType::kPong, 0, 0, payload);
  co_await group.wait_idle();
  EXPECT_TRUE(done);
  co_return others;
}

TEST(GuestClient, HelloAndFirstOperationLeaveInOneWrite) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    Result<GuestChannel> channel = rig.client->open(Op::kStat, "arguments");
    std::array<char, 4096> buffer;
    const iovec room{.iov_base = buffer.data(), .iov_len = buffer.size()};
    auto nothing = rig.peer->stream().try_read({&room, 1});
    EXPECT_FALSE(nothing.value().has_value()) << "written before anybody waited";
    channel->flush();
    auto got = rig.peer->stream().try_read({&room, 1});
    EXPECT_EQ(got.value().value_or(0), 2 * guest::kHeaderSize + 6 + guest::kTokenSize + sizeof(Op) +
                                           std::string("arguments").size());
    co_return;
  });
}

TEST(GuestClient, RepliesFindTheirChannel) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    Result<GuestChannel> first = rig.client->open(Op::kStat, "1");
    Result<GuestChannel> second = rig.client->open(Op::kStat, "2");
    first->flush();
    co_await rig.peer->hello();
    std::uint32_t one = co_await rig.peer->opened();
    std::uint32_t two = co_await rig.peer->opened();
    co_await rig.peer->reply_ok(two, "second");
    guest::Writer error;
    error.number(static_cast<std::uint16_t>(Code::kNotFound))
        .number(std::int32_t{ENOENT})
        .string("gone");
    co_await rig.peer->send(FrameType::kReply, one, 0, std::move(error).bytes());
    Result<std::string> answer = co_await second->reply();
    EXPECT_EQ(answer.value(), "second");
    Result<std::string> failure = co_await first->reply();
    EXPECT_EQ(failure.error().code(), Code::kNotFound);
    EXPECT_EQ(failure.error().errno_value(), ENOENT);
    Result<std::uint64_t> boot_id = co_await rig.client->hello();
    EXPECT_EQ(boot_id.value(), 42u);
  });
}

TEST(GuestClient, CreditComesBackInHalfWindows) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    Result<GuestChannel> channel = rig.client->open(Op::kFileGet, "");
    channel->flush();
    co_await rig.peer->hello();
    std::uint32_t id = co_await rig.peer->opened();
    for (std::size_t sent = 0; sent < guest::kWindow; sent += guest::kMaxPayload) {
      co_await rig.peer->send(FrameType::kData, id, guest::kStdout,
                              std::string(guest::kMaxPayload, 'x'));
      co_await settle(executor, &rig);
    }
    EXPECT_EQ(channel->buffered(), guest::kWindow);
    for (std::size_t read = 0; read < guest::kWindow / 2; read += guest::kMaxPayload) {
      Result<Chunk> chunk = co_await channel->read();
      EXPECT_EQ(chunk->bytes.size(), guest::kMaxPayload);
    }
    std::string payload;
    guest::FrameHeader header = co_await rig.peer->next(&payload);
    EXPECT_EQ(header.type, FrameType::kCredit);
    EXPECT_EQ(header.stream, guest::kStdout);
    EXPECT_EQ(guest::Reader(payload).number<std::uint32_t>(), guest::kWindow / 2);
  });
}

TEST(GuestClient, CutsOffAGuestThatIgnoresTheWindow) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    Result<GuestChannel> channel = rig.client->open(Op::kFileGet, "");
    channel->flush();
    co_await rig.peer->hello();
    std::uint32_t id = co_await rig.peer->opened();
    for (int i = 0; i < 8; ++i) {
      co_await rig.peer->send(FrameType::kData, id, guest::kStdout,
                              std::string(guest::kMaxPayload, 'x'));
    }
    while (!rig.client->broken()) {
      Result<std::string> never = co_await channel->reply();
      EXPECT_FALSE(never.has_value());
    }
    EXPECT_EQ(rig.client->broken()->code(), Code::kProtocol);
    EXPECT_LE(channel->buffered(), guest::kWindow);
  });
}

TEST(GuestClient, WritingWaitsForCredit) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    Result<GuestChannel> channel = rig.client->open(Op::kFilePut, "");
    channel->flush();
    co_await rig.peer->hello();
    std::uint32_t id = co_await rig.peer->opened();
    async::TaskGroup group(executor);
    bool written = false;
    auto write = [](GuestChannel* to, bool* done) -> Task<void> {
      Result<void> result = co_await to->write(std::string(guest::kWindow + 1, 'x'));
      EXPECT_TRUE(result.has_value());
      *done = true;
    };
    group.spawn(write(&*channel, &written));
    std::string payload;
    for (std::size_t got = 0; got < guest::kWindow;) {
      guest::FrameHeader header = co_await rig.peer->next(&payload);
      EXPECT_EQ(header.type, FrameType::kData);
      got += payload.size();
    }
    co_await settle(executor, &rig);
    EXPECT_FALSE(written);
    guest::Writer credit;
    credit.number(std::uint32_t{1});
    co_await rig.peer->send(FrameType::kCredit, id, guest::kStdin, std::move(credit).bytes());
    co_await group.wait_idle();
    EXPECT_TRUE(written);
  });
}

TEST(GuestClient, ALostGuestEndsEverything) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    Result<GuestChannel> channel = rig.client->open(Op::kExec, "");
    channel->flush();
    co_await rig.peer->hello();
    rig.peer.reset();
    Result<std::string> reply = co_await channel->reply();
    EXPECT_EQ(reply.error().code(), Code::kBackend);
    Result<Chunk> chunk = co_await channel->read(GuestChannel::Until::kExit);
    EXPECT_EQ(chunk.error().code(), Code::kBackend);
    Result<guest::ExitInfo> exit = co_await channel->exit();
    EXPECT_EQ(exit.error().code(), Code::kBackend);
    EXPECT_EQ(rig.client->open(Op::kStat, "").error().code(), Code::kBackend);
  });
}

TEST(GuestClient, WhatArrivedBeforeTheLossIsStillRead) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    Result<GuestChannel> channel = rig.client->open(Op::kExec, "");
    channel->flush();
    co_await rig.peer->hello();
    std::uint32_t id = co_await rig.peer->opened();
    co_await rig.peer->send(FrameType::kData, id, guest::kStderr, "last words");
    rig.peer.reset();
    Result<Chunk> chunk = co_await channel->read(GuestChannel::Until::kExit);
    EXPECT_EQ(chunk->bytes, "last words");
    EXPECT_EQ(chunk->stream, guest::kStderr);
    Result<Chunk> end = co_await channel->read(GuestChannel::Until::kExit);
    EXPECT_EQ(end.error().code(), Code::kBackend);
  });
}

TEST(GuestClient, RefusesAGuestThatDoesNotSayHello) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    co_await rig.peer->send(FrameType::kClose, 1, 0, "");
    Result<std::uint64_t> boot_id = co_await rig.client->hello();
    EXPECT_EQ(boot_id.error().code(), Code::kProtocol);
  });
}

TEST(GuestClient, ARefusedHelloIsReported) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    guest::Writer refusal;
    refusal.number(static_cast<std::uint16_t>(Code::kUnauthenticated))
        .number(std::int32_t{0})
        .string("token");
    co_await rig.peer->send(FrameType::kReply, 0, 0, std::move(refusal).bytes());
    Result<std::uint64_t> boot_id = co_await rig.client->hello();
    EXPECT_EQ(boot_id.error().code(), Code::kUnauthenticated);
  });
}

TEST(GuestClient, DroppingAChannelAcknowledgesAndClosesIt) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    std::uint32_t id = 0;
    {
      Result<GuestChannel> channel = rig.client->open(Op::kExec, "");
      channel->flush();
      co_await rig.peer->hello();
      id = co_await rig.peer->opened();
      co_await rig.peer->send(FrameType::kData, id, guest::kStdout, "read");
      Result<Chunk> chunk = co_await channel->read(GuestChannel::Until::kExit);
      EXPECT_EQ(chunk->bytes, "read");
    }
    std::string payload;
    guest::FrameHeader credit = co_await rig.peer->next(&payload);
    EXPECT_EQ(credit.type, FrameType::kCredit);
    EXPECT_EQ(guest::Reader(payload).number<std::uint32_t>(), 4u);
    guest::FrameHeader close = co_await rig.peer->next(&payload);
    EXPECT_EQ(close.type, FrameType::kClose);
    EXPECT_EQ(close.channel, id);
    // What the guest sent before it knew is late, not wrong.
    co_await rig.peer->send(FrameType::kData, id, guest::kStdout, "late");
    co_await settle(executor, &rig);
    EXPECT_FALSE(rig.client->broken().has_value());
  });
}

// What attach() relies on: the guest keeps what is not acknowledged, so no credit may leave before.
TEST(GuestClient, ControlBytesAreCreditedWhenTheyAreAcknowledged) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    Result<GuestChannel> channel = rig.client->open(Op::kExec, "");
    channel->flush();
    co_await rig.peer->hello();
    std::uint32_t id = co_await rig.peer->opened();
    constexpr std::size_t kHalf = guest::kWindow / 2;
    for (std::size_t sent = 0; sent < kHalf; sent += guest::kMaxPayload) {
      co_await rig.peer->send(FrameType::kData, id, guest::kControl,
                              std::string(guest::kMaxPayload, 'c'));
      Result<Chunk> chunk = co_await channel->read(GuestChannel::Until::kExit);
      EXPECT_EQ(chunk->stream, guest::kControl);
      EXPECT_EQ(chunk->bytes.size(), guest::kMaxPayload);
    }
    int early = co_await settle(executor, &rig);
    EXPECT_EQ(early, 0);
    channel->acknowledge_control(kHalf);
    std::string payload;
    guest::FrameHeader credit = co_await rig.peer->next(&payload);
    EXPECT_EQ(credit.type, FrameType::kCredit);
    EXPECT_EQ(credit.stream, guest::kControl);
    EXPECT_EQ(guest::Reader(payload).number<std::uint32_t>(), kHalf);
  });
}

TEST(GuestClient, SettlingLeavesWithTheNextWrite) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    Result<GuestChannel> channel = rig.client->open(Op::kExec, "");
    channel->flush();
    co_await rig.peer->hello();
    std::uint32_t id = co_await rig.peer->opened();
    co_await rig.peer->send(FrameType::kData, id, guest::kStdout, "out");
    co_await rig.peer->send(FrameType::kData, id, guest::kControl, "control");
    for (int i = 0; i < 2; ++i) {
      Result<Chunk> chunk = co_await channel->read(GuestChannel::Until::kExit);
      EXPECT_TRUE(chunk.has_value());
    }
    channel->acknowledge_control(4);
    channel->settle();
    Result<void> written = co_await channel->write("next");
    EXPECT_TRUE(written.has_value());
    std::string payload;
    guest::FrameHeader out = co_await rig.peer->next(&payload);
    EXPECT_EQ(out.stream, guest::kStdout);
    EXPECT_EQ(guest::Reader(payload).number<std::uint32_t>(), 3u);
    guest::FrameHeader control = co_await rig.peer->next(&payload);
    EXPECT_EQ(control.stream, guest::kControl);
    EXPECT_EQ(guest::Reader(payload).number<std::uint32_t>(), 4u);
    guest::FrameHeader data = co_await rig.peer->next(&payload);
    EXPECT_EQ(data.type, FrameType::kData);
    EXPECT_EQ(payload, "next");
  });
}

// All ends come before the exit, and which streams there are need not be known.
TEST(GuestClient, AnExecutionEndsWithItsExit) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    Result<GuestChannel> channel = rig.client->open(Op::kAttach, "");
    channel->flush();
    co_await rig.peer->hello();
    std::uint32_t id = co_await rig.peer->opened();
    co_await rig.peer->send(FrameType::kEof, id, guest::kStdout, "");
    co_await rig.peer->send(FrameType::kEof, id, guest::kStderr, "");
    co_await rig.peer->send(FrameType::kData, id, guest::kControl, "late");
    co_await rig.peer->send(FrameType::kEof, id, guest::kControl, "");
    co_await rig.peer->send(FrameType::kExit, id, 0,
                            guest::encoded(guest::ExitInfo{.exit_code = 3}));
    Result<Chunk> chunk = co_await channel->read(GuestChannel::Until::kExit);
    EXPECT_EQ(chunk->bytes, "late");
    Result<Chunk> end = co_await channel->read(GuestChannel::Until::kExit);
    EXPECT_EQ(end->stream, 0);
    Result<guest::ExitInfo> exit = co_await channel->exit();
    EXPECT_EQ(exit->exit_code, 3);
    co_await rig.peer->send(FrameType::kData, id, guest::kControl, "after the end");
    Result<void> ping = co_await rig.client->ping();
    EXPECT_EQ(ping.error().code(), Code::kProtocol);
  });
}

TEST(GuestClient, RefusesFramesOfChannelsThatNeverWere) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    Result<GuestChannel> channel = rig.client->open(Op::kExec, "");
    channel->flush();
    co_await rig.peer->hello();
    co_await rig.peer->send(FrameType::kData, 77, guest::kStdout, "?");
    Result<std::string> reply = co_await channel->reply();
    EXPECT_EQ(reply.error().code(), Code::kProtocol);
  });
}

TEST(GuestClient, ClosingTheClientEndsWaitingOperations) {
  run(+[](Executor executor) -> Task<void> {
    Rig rig(executor);
    Result<GuestChannel> channel = rig.client->open(Op::kExec, "");
    async::TaskGroup group(executor);
    bool ended = false;
    auto wait = [](GuestChannel* on, bool* done) -> Task<void> {
      Result<std::string> reply = co_await on->reply();
      EXPECT_EQ(reply.error().code(), Code::kCancelled);
      *done = true;
    };
    group.spawn(wait(&*channel, &ended));
    rig.client.reset();
    co_await group.wait_idle();
    EXPECT_TRUE(ended);
  });
}

}  // namespace
}  // namespace atl::sandbox
