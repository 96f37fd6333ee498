// The Model Context Protocol at /mcp (Streamable HTTP), legacy and modern eras side by side. The
// logic of `atoll mcp` is here too: on stdio it forwards messages to this endpoint.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "async/task.hpp"
#include "control/control.hpp"
#include "http/router.hpp"

namespace atl::api::mcp {

// The question to a person who must agree before this runs; nothing: nobody is asked. For tests:
// without one, control's policies say when. What they refuse is refused all the same.
using NeedsApproval = std::function<std::optional<std::string>(const control::Caller& caller,
                                                               const control::ExecuteRequest& run)>;

struct McpOptions {
  async::Executor executor;
  std::string version;
  std::function<std::string()> endpoint = {};  // "http://127.0.0.1:8080", for links to ports
  std::string preview_domain = {};
  std::uint64_t body_bytes = 16u << 20;  // of one message
  NeedsApproval needs_approval = {};
  std::function<bool()> draining = {};  // true: streams without end have to end
};

// `control` outlives the router. Background tasks live as long as the router's handlers.
void add_mcp_routes(http::Router& router, control::Control& control, const McpOptions& options);

}  // namespace atl::api::mcp
