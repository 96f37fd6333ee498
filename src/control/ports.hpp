// Ports: connections to what listens inside a session, also where it has no network. On the I/O
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "async/task.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/sessions.hpp"

namespace atl::control {

struct PortConnection {
  std::unique_ptr<sandbox::ByteStream> stream;  // while it lives the session counts as used
  std::optional<Error> refused;                 // instead: nobody takes connections there
};

class Ports {
 public:
  explicit Ports(Sessions& sessions) : sessions_(sessions) {}

  // Waits while the session is being made; an error is about the session.
  async::Task<Result<PortConnection>> connect(Caller caller, SessionId id, std::uint16_t port);

 private:
  Sessions& sessions_;
};

}  // namespace atl::control
