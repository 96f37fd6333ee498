// The table of executions. Bounded: so many running, so many ended ones that wait to be collected.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "base/result.hpp"
#include "guest/execution.hpp"

namespace atl::guest {

class Executions {
 public:
  explicit Executions(Server& server) : server_(server) {}

  Result<Execution*> start(const ExecArgs& args);
  Execution* find(std::uint64_t id);
  // Collects every child that has ended: ours with their figures, adopted orphans without.
  void reap();
  // Kills what is over its time; returns when the next one is due (UINT64_MAX: none).
  std::uint64_t expire(std::uint64_t now_ns);
  // Forgets the oldest ended ones beyond the bounds. Not to be called from inside a channel.
  void trim();
  // The last credits of a delivered execution arrive after its channel was closed.
  void late_credit(std::uint32_t channel, std::uint8_t stream, std::size_t bytes);
  void kill_all();

  std::size_t running() const;
  const auto& all() const { return table_; }

 private:
  Server& server_;
  std::map<std::uint64_t, std::unique_ptr<Execution>> table_;
  std::uint64_t next_id_ = 1;
};

}  // namespace atl::guest
