#include "control/spool.hpp"

#include <gtest/gtest.h>

#include "async/run.hpp"
#include "async/task_group.hpp"

namespace atl::control {
namespace {

using async::Task;

Task<std::string> read_all(std::shared_ptr<Spool> spool, std::uint64_t after) {
  Spool::Reader reader(spool, after);
  std::string all;
  for (;;) {
    const SpoolEvent* event = co_await reader.next();
    if (event->kind == SpoolKind::kEnd) co_return all;
    all += event->data;
  }
}

Task<void> into(std::shared_ptr<Spool> spool, std::string* all) {
  *all = co_await read_all(std::move(spool), 0);
}

Task<void> put_many(std::shared_ptr<Spool> spool, int count, std::size_t size, int* done) {
  for (int i = 0; i < count; ++i) {
    co_await spool->put(SpoolKind::kStdout, std::string(size, static_cast<char>('a' + i % 26)));
    ++*done;
  }
  spool->end();
}

Task<void> keeps_both_streams(async::Executor) {
  auto spool = std::make_shared<Spool>(100);
  co_await spool->put(SpoolKind::kStdout, "one ");
  co_await spool->put(SpoolKind::kStderr, "two ");
  co_await spool->put(SpoolKind::kResult, "{}");
  co_await spool->put(SpoolKind::kStdout, "three");
  model::Output output = spool->output();
  EXPECT_EQ(output.stdout_bytes, "one three");
  EXPECT_EQ(output.stderr_bytes, "two ");
  EXPECT_EQ(output.merged, "one two three");
  EXPECT_FALSE(spool->truncated());
  spool->end();
  std::string whole = co_await read_all(spool, 0);
  EXPECT_EQ(whole, "one two {}three");
  std::string rest = co_await read_all(spool, 3);
  EXPECT_EQ(rest, "three");
}

TEST(Spool, KeepsBothStreamsInOrder) {
  async::run_to_end<void>([](async::Executor executor) { return keeps_both_streams(executor); });
}

Task<void> holds_no_more_than_there_is(async::Executor) {
  auto spool = std::make_shared<Spool>(1'000'000);
  int done = 0;
  co_await put_many(spool, 100, 10'000, &done);
  model::Output output = spool->output();
  EXPECT_EQ(output.merged.size(), 1'000'000u);
  EXPECT_LT(output.merged.capacity(), 1'100'000u);
  EXPECT_LT(output.stdout_bytes.capacity(), 1'100'000u);
}

TEST(Spool, AnOutputTakesAsMuchAsItHolds) {
  async::run_to_end<void>(
      [](async::Executor executor) { return holds_no_more_than_there_is(executor); });
}

Task<void> nobody_reads(async::Executor) {
  auto spool = std::make_shared<Spool>(10);
  int done = 0;
  co_await put_many(spool, 1000, 100'000, &done);  // 100 MB, and nobody waits for anybody
  EXPECT_EQ(done, 1000);
  EXPECT_TRUE(spool->truncated());
  EXPECT_EQ(spool->output().stdout_bytes, std::string(10, 'a'));
}

TEST(Spool, WithoutReadersTheRestIsDropped) {
  async::run_to_end<void>([](async::Executor executor) { return nobody_reads(executor); });
}

Task<void> slow_reader(async::Executor executor) {
  auto spool = std::make_shared<Spool>(10);
  async::TaskGroup tasks(executor);
  auto reader = std::make_unique<Spool::Reader>(spool, 0);
  int done = 0;
  tasks.spawn(put_many(spool, 100, 100'000, &done));
  EXPECT_LT(done, 20) << "the writer must wait for a reader that does not read";
  std::size_t bytes = 0;
  for (;;) {
    const SpoolEvent* event = co_await reader->next();
    if (event->kind == SpoolKind::kEnd) break;
    bytes += event->data.size();
  }
  EXPECT_EQ(bytes, 100u * 100'000u) << "a live reader sees everything";
  EXPECT_EQ(done, 100);
  co_await tasks.join();
}

TEST(Spool, AWriterWaitsForItsReaders) {
  async::run_to_end<void>([](async::Executor executor) { return slow_reader(executor); });
}

Task<void> reader_leaves(async::Executor executor) {
  auto spool = std::make_shared<Spool>(10);
  async::TaskGroup tasks(executor);
  auto reader = std::make_unique<Spool::Reader>(spool, 0);
  int done = 0;
  tasks.spawn(put_many(spool, 100, 100'000, &done));
  EXPECT_LT(done, 100);
  reader.reset();
  co_await tasks.wait_idle();
  EXPECT_EQ(done, 100) << "a reader that went away must not hold up the program";
}

TEST(Spool, AReaderThatLeavesHoldsNobodyUp) {
  async::run_to_end<void>([](async::Executor executor) { return reader_leaves(executor); });
}

Task<void> two_readers(async::Executor executor) {
  auto spool = std::make_shared<Spool>(1000);
  async::TaskGroup tasks(executor);
  std::string one, two;
  tasks.spawn(into(spool, &one));
  tasks.spawn(into(spool, &two));
  int done = 0;
  co_await put_many(spool, 50, 100'000, &done);
  co_await tasks.wait_idle();
  EXPECT_EQ(one.size(), 50u * 100'000u);
  EXPECT_EQ(one, two);
}

TEST(Spool, ReadersDoNotTakeFromEachOther) {
  async::run_to_end<void>([](async::Executor executor) { return two_readers(executor); });
}

}  // namespace
}  // namespace atl::control
