#include "control/spool.hpp"

#include <unistd.h>

#include <filesystem>

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

class SpoolFile : public testing::Test {
 protected:
  SpoolFile() {
    char name[] = "/tmp/atoll-spool-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~SpoolFile() override { std::filesystem::remove_all(folder_); }

  SpoolDisk disk() {
    return {.open = [this] { return Journals(folder_).begin(ExecutionId("one")); },
            .has_room = [this] { return room_; }};
  }
  std::string folder_;
  bool room_ = true;
};

Task<void> beyond_memory(SpoolDisk disk, async::Executor executor) {
  auto spool = std::make_shared<Spool>(10u << 20, std::move(disk));
  async::TaskGroup tasks(executor);
  std::string along;
  tasks.spawn(into(spool, &along));  // from memory at first, then from the file
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    std::string piece(20'000, static_cast<char>('a' + i % 26));
    expected += piece;
    co_await spool->put(i % 2 == 0 ? SpoolKind::kStdout : SpoolKind::kStderr, std::move(piece));
    if (i == 10) EXPECT_EQ(spool->output().large, nullptr);
  }
  spool->end();
  co_await tasks.wait_idle();
  EXPECT_TRUE(along == expected);
  model::Output output = spool->output();
  EXPECT_NE(output.large, nullptr);
  if (!output.large) co_return;
  using Part = model::LargeOutput::Part;
  EXPECT_TRUE(*output.large->read(Part::kMerged, 0, expected.size()) == expected);
  EXPECT_EQ(output.large->size(Part::kStdout), expected.size() / 2);
  std::string late = co_await read_all(spool, 0);
  EXPECT_TRUE(late == expected);
  std::string rest = co_await read_all(spool, 290);
  EXPECT_TRUE(rest == expected.substr(290 * 20'000));
  EXPECT_FALSE(spool->truncated());
}

TEST_F(SpoolFile, BeyondMemoryItIsInAFile) {
  async::run_to_end<void>(
      [&](async::Executor executor) { return beyond_memory(disk(), executor); });
}

Task<void> no_room(SpoolDisk disk, async::Executor executor) {
  auto spool = std::make_shared<Spool>(10u << 20, std::move(disk));
  async::TaskGroup tasks(executor);
  std::string along;
  tasks.spawn(into(spool, &along));
  int done = 0;
  co_await put_many(spool, 100, 100'000, &done);
  co_await tasks.wait_idle();
  EXPECT_EQ(along.size(), 100u * 100'000u) << "a live reader sees everything";
  EXPECT_TRUE(spool->truncated());
  EXPECT_EQ(spool->output().large, nullptr);
  EXPECT_EQ(spool->output().merged.size(), spool->output().stdout_bytes.size());
  EXPECT_LE(spool->output().merged.size(), Spool::kHeld);
  EXPECT_GT(spool->output().merged.size(), 900'000u);
}

TEST_F(SpoolFile, WithoutRoomTheRestIsDropped) {
  room_ = false;
  async::run_to_end<void>([&](async::Executor executor) { return no_room(disk(), executor); });
}

}  // namespace
}  // namespace atl::control
