#include "async/stream.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "async/run.hpp"
#include "async/task_group.hpp"

namespace atl::async {
namespace {

struct Pair {
  UniqueFd read_end, write_end;
};

Pair make_pipe() {
  std::array<int, 2> fds{};
  EXPECT_EQ(::pipe2(fds.data(), O_CLOEXEC), 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Pair make_socketpair() {
  std::array<int, 2> fds{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Task<void> read_to_end(Stream* from, std::string* into) {
  std::array<char, 1000> buffer;
  for (;;) {
    Result<std::size_t> got = co_await from->read_some(buffer);
    EXPECT_TRUE(got.has_value());
    if (!got || *got == 0) co_return;
    into->append(buffer.data(), *got);
  }
}

Task<void> transfer(Executor executor, Pair pair, FdKind kind) {
  Stream in(executor, std::move(pair.read_end), kind);
  std::string received;
  TaskGroup group(executor);
  group.spawn(read_to_end(&in, &received));
  std::string sent;
  for (int i = 0; i < 300'000; ++i) sent += std::to_string(i);
  {
    Stream out(executor, std::move(pair.write_end), kind);
    Result<void> written = co_await out.write_all(sent);
    EXPECT_TRUE(written.has_value());
  }
  co_await group.wait_idle();
  EXPECT_EQ(received, sent);
}

TEST(Stream, MovesMoreThanThePipeHolds) {
  for (FdKind kind : {FdKind::kOwned, FdKind::kShared}) {
    run_to_end<void>([&](Executor executor) { return transfer(executor, make_pipe(), kind); });
  }
  for (FdKind kind : {FdKind::kSocket, FdKind::kShared}) {
    run_to_end<void>(
        [&](Executor executor) { return transfer(executor, make_socketpair(), kind); });
  }
}

Task<void> read_shared(Executor executor, Pair pair) {
  UniqueFd original(::dup(pair.read_end.get()));
  Stream in(executor, std::move(pair.read_end), FdKind::kShared);
  std::string received;
  TaskGroup group(executor);
  group.spawn(read_to_end(&in, &received));
  EXPECT_EQ(::fcntl(original.get(), F_GETFL) & O_NONBLOCK, 0);
  pair.write_end.reset();
  co_await group.wait_idle();
  EXPECT_EQ(::fcntl(original.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(Stream, LeavesSharedDescriptorsBlocking) {
  run_to_end<void>([](Executor executor) { return read_shared(executor, make_pipe()); });
}

Task<void> read_file(Executor executor, FdKind kind) {
  UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  Stream in(executor, std::move(file), kind);
  std::array<char, 4> magic;
  Result<std::size_t> got = co_await in.read_some(magic);
  EXPECT_EQ(got.value_or(0), 4u);
  EXPECT_EQ(std::string(magic.data() + 1, 3), "ELF");
  Stream null(executor, UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC)), kind);
  Result<std::size_t> none = co_await null.read_some(magic);
  EXPECT_EQ(none.value_or(9), 0u);
  Result<void> written = co_await null.write_all("to nowhere");
  EXPECT_TRUE(written.has_value());
}

TEST(Stream, TakesFilesAndDevices) {
  for (FdKind kind : {FdKind::kOwned, FdKind::kShared}) {
    run_to_end<void>([&](Executor executor) { return read_file(executor, kind); });
  }
}

Task<void> expect_cancelled(Stream* stream, int* count) {
  std::array<char, 8> buffer;
  Result<std::size_t> got = co_await stream->read_some(buffer);
  EXPECT_EQ(got.error().code(), Code::kCancelled);
  ++*count;
}

Task<void> cancel_and_destroy(Executor executor, Pair first, Pair second, int* count) {
  TaskGroup group(executor);
  auto stream = std::make_unique<Stream>(executor, std::move(first.read_end), FdKind::kSocket);
  group.spawn(expect_cancelled(stream.get(), count));
  stream->cancel();
  co_await group.wait_idle();
  stream = std::make_unique<Stream>(executor, std::move(second.read_end), FdKind::kShared);
  group.spawn(expect_cancelled(stream.get(), count));
  stream.reset();
  co_await group.wait_idle();
}

TEST(Stream, CancelAndDestructionEndPendingReads) {
  int count = 0;
  run_to_end<void>([&](Executor executor) {
    return cancel_and_destroy(executor, make_socketpair(), make_pipe(), &count);
  });
  EXPECT_EQ(count, 2);
}

Task<void> write_to_closed(Executor executor, Pair pair) {
  pair.read_end.reset();
  Stream out(executor, std::move(pair.write_end), FdKind::kSocket);
  Result<void> written = co_await out.write_all("nobody reads this");
  EXPECT_EQ(written.error().errno_value(), EPIPE);  // and no SIGPIPE
}

TEST(Stream, WritingToAClosedSocketIsAnError) {
  run_to_end<void>([](Executor executor) { return write_to_closed(executor, make_socketpair()); });
}

}  // namespace
}  // namespace atl::async
