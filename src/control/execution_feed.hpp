// The output of one execution for one client, as it comes. Destroying it gives the client up and
// nothing else: the execution goes on. On the I/O thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "async/task.hpp"
#include "control/spool.hpp"
#include "control/stream.hpp"
#include "model/execution.hpp"

namespace atl::control {

struct LiveExecution;

class ExecutionFeed final : public Stream<const SpoolEvent*> {
 public:
  // One that runs or waits, from behind event `after`.
  ExecutionFeed(std::shared_ptr<LiveExecution> execution, std::uint64_t after);
  // One that has ended: row() has all of it, and there is no event.
  explicit ExecutionFeed(model::Execution row) : row_(std::move(row)) {}

  bool live() const { return execution_ != nullptr; }
  // Of a live one as it is now, without its output; final behind the last event.
  const model::Execution& row() const;
  // An event is valid until the next call.
  async::Task<Result<std::optional<const SpoolEvent*>>> next() override;
  // At first the number that it begins behind: a client may have named one that is not there yet.
  std::uint64_t position() const override { return position_; }

 private:
  std::shared_ptr<LiveExecution> execution_;
  std::uint64_t position_ = 0;
  std::optional<Spool::Reader> reader_;
  model::Execution row_;
};

}  // namespace atl::control
