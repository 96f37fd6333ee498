#include "store/writer.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "async/task_group.hpp"

namespace atl::store {
namespace {

// Bounds how long the first of a group waits for the last.
constexpr std::size_t kMaxGroup = 256;

}  // namespace

async::Task<Result<void>> Writer::write(Batch batch) {
  auto pending = std::make_shared<Pending>();
  pending->batch = std::move(batch);
  {
    std::scoped_lock lock(mutex_);
    waiting_.push_back(pending);
  }
  // One job for each who waits, in the same order; the first of a group does the work of all.
  co_await thread_.run([this, pending] {
    if (!pending->done) drain();
  });
  co_return std::move(pending->result);
}

async::Task<void> Writer::close() {
  co_await thread_.run([this] { db_.reset(); });
}

void Writer::drain() {
  Group group;
  {
    std::scoped_lock lock(mutex_);
    std::size_t count = std::min(waiting_.size(), kMaxGroup);
    auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    group.assign(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
  }
  try {
    commit(group);
  } catch (const std::exception&) {
    // A bug; whatever it was, it must not look like success to anyone, nor leave a transaction.
    if (db_) db_->rollback();
    for (const std::shared_ptr<Pending>& pending : group) {
      pending->result = fail(Code::kInternal, "the store failed unexpectedly");
    }
    async::report_bug(std::current_exception());
  }
  for (const std::shared_ptr<Pending>& pending : group) {
    pending->done = true;
    pending->batch = nullptr;
  }
}

void Writer::commit(const Group& group) {
  Result<void> done = try_commit(group);
  // The connection had died, perhaps long ago: nothing was written, so once more on a new one.
  if (!done && db_ && db_->was_lost()) done = try_commit(group);
  if (done) return;
  bool only_this = group.size() == 1 || !db_ || db_->was_lost() || db_->is_unknown();
  if (!only_this) {
    // Something that hits them all, such as a full disk: perhaps some of them fit.
    for (const std::shared_ptr<Pending>& pending : group) commit({pending});
    return;
  }
  for (const std::shared_ptr<Pending>& pending : group) pending->result = fail(done.error());
}

Result<void> Writer::try_commit(const Group& group) {
  if (!db_) return fail(Code::kConflict, "the store is closed");
  ATOLL_CHECK(db_->ready());
  ATOLL_CHECK(db_->begin());
  Result<void> done = run_batches(group);
  if (done) done = db_->commit();
  if (!done) db_->rollback();
  return done;
}

// An error here is one of the whole transaction; that of one batch is in its result.
Result<void> Writer::run_batches(const Group& group) {
  if (group.size() == 1) return group.front()->result = group.front()->batch(*db_);
  for (const std::shared_ptr<Pending>& pending : group) {
    ATOLL_CHECK(run_in_savepoint(*pending));
  }
  return {};
}

Result<void> Writer::run_in_savepoint(Pending& pending) {
  static const std::string kSave = "SAVEPOINT batch";
  static const std::string kBack = "ROLLBACK TO SAVEPOINT batch";
  static const std::string kRelease = "RELEASE SAVEPOINT batch";
  ATOLL_CHECK(db_->run(kSave, {}));
  pending.result = pending.batch(*db_);
  if (!pending.result) {
    if (db_->was_lost()) return pending.result;
    ATOLL_CHECK(db_->run(kBack, {}));
  }
  ATOLL_CHECK(db_->run(kRelease, {}));
  return {};
}

}  // namespace atl::store
