// One request to a server inside the sandbox, through the guest, so also without a network.
// WebSockets and other upgrades pass as bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "api/common/refusal.hpp"
#include "async/task.hpp"
#include "control/control.hpp"
#include "http/exchange.hpp"

namespace atl::api {

// Whose request it is, and what it is about. `control` and `exchange` outlive the call.
struct PortCall {
  async::Executor executor;
  control::Control* control;
  http::Exchange* exchange;
  control::Caller caller;
  SessionId session;
};

struct Forward {
  std::uint16_t port = 0;
  std::string target;
  http::Headers headers;  // as the server inside sees them
  // From its fields to those of the answer; `upgrade`: of a 101.
  std::function<http::Headers(const http::Headers& inside, bool upgrade)> answer;
};

// The path parameter `port`.
Answer<std::uint16_t> port_of(const http::Request& request);

// 403 for read-only keys, 404 for sessions of others, 502 when nobody answers.
async::Task<Answer<void>> forward_to_port(PortCall call, Forward forward);

}  // namespace atl::api
