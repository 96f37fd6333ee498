// Group commit: everybody who waits shares one transaction, and so one sync of the disk. Each batch
// stands in a savepoint, so that one that is refused does not take the others down.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "store/connection.hpp"

namespace atl::store {

class Writer {
 public:
  // May run more than once: when the transaction around it was undone.
  using Batch = std::function<Result<void>(Connection&)>;

  explicit Writer(std::unique_ptr<Connection> db) : db_(std::move(db)) {}

  // On the disk when it returns without an error. kNoAvailableRuntime while the database is away.
  async::Task<Result<void>> write(Batch batch);
  // Waits for those before it. Writes after it fail.
  async::Task<void> close();

 private:
  struct Pending {
    Batch batch;
    Result<void> result = fail(Code::kInternal, "the write was not tried");
    bool done = false;
  };
  using Group = std::vector<std::shared_ptr<Pending>>;

  // On the writer's thread.
  void drain();
  void commit(const Group& group);
  Result<void> try_commit(const Group& group);
  Result<void> run_batches(const Group& group);
  Result<void> run_in_savepoint(Pending& pending);

  std::unique_ptr<Connection> db_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Pending>> waiting_;
  async::Pool thread_{1};  // last: it is joined before the rest goes
};

}  // namespace atl::store
