// What happens, as it happens: sessions and executions that begin, change and end. For whoever
// listens; nobody waits for a listener, and one that is too slow loses the oldest.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "async/event.hpp"
#include "async/task.hpp"
#include "control/stream.hpp"
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
  // Of network_refused.
  std::string host;
  std::uint16_t port = 0;
  std::string reason;
  // Of file_changed: which, and created_by_sandbox, changed_by_sandbox or removed_by_sandbox.
  std::string path;
  std::string change;
};

using LifeEventPtr = std::shared_ptr<const LifeEvent>;
using EventStream = Stream<LifeEventPtr>;

class Events {
 public:
  static constexpr std::size_t kKept = 1024;

  void publish(LifeEvent event);
  // From behind event `after`, as far as events are kept (nothing: from now on), of this tenant
  // (empty: any). It has no end.
  std::unique_ptr<EventStream> follow(std::optional<std::uint64_t> after, std::string tenant);

 private:
  class Follower;
  std::deque<LifeEventPtr> kept_;
  std::uint64_t next_number_ = 1;
  async::Event changed_;
};

}  // namespace atl::control
