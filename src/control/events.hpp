// What happens, as it happens: sessions and executions that begin, change and end. For whoever
// listens; nobody waits for a listener, and one that is too slow loses the oldest.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "async/event.hpp"
#include "async/task.hpp"
#include "model/session.hpp"

namespace atl::control {

struct LifeEvent {
  std::uint64_t number = 0;
  std::string event;  // session_created, session_ready, execution_started, …
  std::string tenant;
  std::string session_id;
  std::string execution_id;  // empty: of the session itself
  std::string status;
  model::Time time{};
};

class Events {
 public:
  static constexpr std::size_t kKept = 1024;

  void publish(LifeEvent event);
  // The oldest event behind `after` that is kept, of this tenant (empty: any). Waits for one.
  async::Task<LifeEvent> next(std::uint64_t after, std::string tenant);
  std::uint64_t last() const { return next_number_ - 1; }

 private:
  std::deque<LifeEvent> kept_;
  std::uint64_t next_number_ = 1;
  async::Event changed_;
};

}  // namespace atl::control
