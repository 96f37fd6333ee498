#include "store/sqlite/checkpointer.hpp"

#include <utility>

namespace atl::store::sqlite {
namespace {

constexpr int kPagesForWriter = 16'000;  // 64 MiB

void checkpoint(sqlite3* handle) {
  // What cannot be copied now, because of a reader or a full disk, stays in the log and is safe.
  sqlite3_wal_checkpoint_v2(handle, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

}  // namespace

Checkpointer::Checkpointer(Handle handle)
    : handle_(std::move(handle)), thread_([this] { work(); }) {}

Checkpointer::~Checkpointer() {
  {
    std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Checkpointer::log_has(int pages, sqlite3* writer) {
  if (pages >= kPagesForWriter) checkpoint(writer);
  if (pages < kPagesToCopy) return;
  {
    std::scoped_lock lock(mutex_);
    wanted_ = true;
  }
  changed_.notify_one();
}

void Checkpointer::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return wanted_ || ending_; });
    if (ending_) return;
    wanted_ = false;
    lock.unlock();
    checkpoint(handle_.get());
    lock.lock();
  }
}

}  // namespace atl::store::sqlite
