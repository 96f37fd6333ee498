// The output of one execution for one client, as it comes. Destroying it gives the client up and
// nothing else: the execution goes on. On the I/O thread.
#pragma once

#include <cstdint>
#include <memory>

#include "async/task.hpp"
#include "control/spool.hpp"
#include "model/execution.hpp"

namespace atl::control {

struct LiveExecution;

class ExecutionFeed {
 public:
  // One that runs or waits, from behind event `after`.
  ExecutionFeed(std::shared_ptr<LiveExecution> execution, std::uint64_t after);
  // One that has ended: row() has all of it, and there is no event.
  explicit ExecutionFeed(model::Execution row) : row_(std::move(row)) {}

  bool live() const { return execution_ != nullptr; }
  // The number that it goes on behind: a client may have named one that is not there yet.
  std::uint64_t after() const { return after_; }
  // Of a live one as it is now, without its output; final behind the last event.
  const model::Execution& row() const;
  // The next event of a live one; kEnd again and again at the end. Cancellable. Valid until the
  // next call.
  async::Task<Result<const SpoolEvent*>> next();

 private:
  std::shared_ptr<LiveExecution> execution_;
  std::uint64_t after_ = 0;
  std::unique_ptr<Spool::Reader> reader_;
  model::Execution row_;
};

}  // namespace atl::control
