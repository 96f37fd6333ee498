// Group commit on a connection that counts, refuses and gets lost on demand.
#include "store/writer.hpp"

#include <algorithm>
#include <future>
#include <stdexcept>

#include <gtest/gtest.h>

#include "async/run.hpp"
#include "async/task_group.hpp"

namespace atl::store {
namespace {

// What happened to the connection; outlives it.
struct Record {
  std::vector<std::string> done;
  std::size_t commits = 0;
  std::vector<Result<void>> commit_answers;  // taken from the front; then all work
  bool lost = false;
  bool unknown = false;
};

class FakeConnection final : public Connection {
 public:
  explicit FakeConnection(Record& record) : record_(record) {}

  Result<void> ready() override { return {}; }
  Result<std::uint64_t> run(const std::string& sql, std::span<const Value> /*values*/,
                            const OnRow& /*on_row*/) override {
    record_.done.push_back(sql);
    return std::uint64_t{0};
  }
  Result<void> run_script(const std::string& /*sql*/) override { return {}; }
  Result<void> begin() override {
    record_.done.emplace_back("BEGIN");
    record_.lost = false;
    return {};
  }
  Result<void> commit() override {
    ++record_.commits;
    if (record_.commit_answers.empty()) return {};
    Result<void> answer = record_.commit_answers.front();
    record_.commit_answers.erase(record_.commit_answers.begin());
    if (!answer) {
      record_.lost = answer.error().code() == Code::kNoAvailableRuntime && !record_.unknown;
    }
    return answer;
  }
  void rollback() override { record_.done.emplace_back("ROLLBACK"); }
  bool was_lost() const override { return record_.lost; }
  bool is_unknown() const override { return record_.unknown; }
  std::string spelled(std::string_view /*name*/) const override { return ""; }

 private:
  Record& record_;
};

Writer::Batch noting(std::string text) {
  return [text](Connection& db) -> Result<void> {
    ATOLL_CHECK(db.run(text, {}));
    return {};
  };
}
Writer::Batch refusing() {
  return [](Connection&) -> Result<void> { return fail(Code::kAlreadyExists, "no"); };
}

async::Task<void> write_one(Writer* writer, Writer::Batch batch, std::vector<Code>* codes,
                            std::size_t index) {
  Result<void> done = co_await writer->write(std::move(batch));
  codes->at(index) = done ? Code::kOk : done.error().code();
}

// One before them holds the connection until all of them wait.
async::Task<void> write_all(async::Executor executor, Writer* writer,
                            std::vector<Writer::Batch> batches, std::vector<Code>* codes) {
  std::promise<void> holding;
  std::promise<void> release;
  std::vector<Code> of_holder(1);
  async::TaskGroup group(executor);
  Writer::Batch holder = [&](Connection&) -> Result<void> {
    holding.set_value();
    release.get_future().wait();
    return {};
  };
  group.spawn(write_one(writer, std::move(holder), &of_holder, 0));
  holding.get_future().wait();
  codes->assign(batches.size(), Code::kInternal);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    group.spawn(write_one(writer, std::move(batches[i]), codes, i));
  }
  release.set_value();
  co_await group.wait_idle();
  EXPECT_EQ(of_holder[0], Code::kOk);
}

std::vector<Code> write_together(Record& record, std::vector<Writer::Batch> batches) {
  // For the one before them.
  record.commit_answers.insert(record.commit_answers.begin(), Result<void>());
  Writer writer(std::make_unique<FakeConnection>(record));
  std::vector<Code> codes;
  async::run_to_end<void>([&](async::Executor executor) {
    return write_all(executor, &writer, std::move(batches), &codes);
  });
  return codes;
}

TEST(Writer, ThoseWhoWaitShareACommit) {
  Record record;
  std::vector<Writer::Batch> batches;
  for (int i = 0; i < 100; ++i) batches.push_back(noting(std::to_string(i)));
  EXPECT_EQ(write_together(record, std::move(batches)), std::vector<Code>(100, Code::kOk));
  EXPECT_EQ(record.commits, 2u) << "one of whom they waited for, one of them all";
  // In the order in which they came.
  std::vector<int> order;
  for (const std::string& text : record.done) {
    if (text.find_first_not_of("0123456789") == std::string::npos) order.push_back(std::stoi(text));
  }
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(Writer, TheRefusedFailAlone) {
  Record record;
  EXPECT_EQ(write_together(record, {noting("a"), noting("b"), refusing(), noting("c")}),
            (std::vector<Code>{Code::kOk, Code::kOk, Code::kAlreadyExists, Code::kOk}));
  EXPECT_EQ(record.commits, 2u);
  EXPECT_EQ(std::ranges::count(record.done, "ROLLBACK TO SAVEPOINT batch"), 1);
}

TEST(Writer, ALostConnectionIsTriedOnceMore) {
  Record record;
  record.commit_answers = {fail(Code::kNoAvailableRuntime, "gone")};
  EXPECT_EQ(write_together(record, {noting("a")}), std::vector<Code>{Code::kOk});
  EXPECT_EQ(std::ranges::count(record.done, "a"), 2);
  record.commit_answers = {fail(Code::kNoAvailableRuntime, "gone"),
                           fail(Code::kNoAvailableRuntime, "gone")};
  EXPECT_EQ(write_together(record, {noting("b")}), std::vector<Code>{Code::kNoAvailableRuntime});
}

TEST(Writer, AnUnknownOutcomeIsNeverTriedAgain) {
  Record record;
  record.unknown = true;
  record.commit_answers = {fail(Code::kNoAvailableRuntime, "gone")};
  EXPECT_EQ(write_together(record, {noting("a")}), std::vector<Code>{Code::kNoAvailableRuntime});
  EXPECT_EQ(std::ranges::count(record.done, "a"), 1);
}

TEST(Writer, WhatHitsAGroupIsTriedOneByOne) {
  Record record;
  // The group fails, and then one of the three.
  record.commit_answers = {
      fail(Code::kResourceExhausted, "full"), {}, fail(Code::kResourceExhausted, "full"), {}};
  EXPECT_EQ(write_together(record, {noting("a"), noting("b"), noting("c")}),
            (std::vector<Code>{Code::kOk, Code::kResourceExhausted, Code::kOk}));
}

TEST(Writer, AThrowingBatchIsNoSuccess) {
  Record record;
  Writer::Batch throwing = [](Connection&) -> Result<void> { throw std::runtime_error("bug"); };
  int bugs = 0;
  async::on_bug([&](std::exception_ptr) { ++bugs; });
  EXPECT_EQ(write_together(record, {throwing}), std::vector<Code>{Code::kInternal});
  async::on_bug({});
  EXPECT_EQ(bugs, 1);
  EXPECT_EQ(std::ranges::count(record.done, "ROLLBACK"), 1);
  EXPECT_EQ(write_together(record, {noting("a")}), std::vector<Code>{Code::kOk});
}

}  // namespace
}  // namespace atl::store
