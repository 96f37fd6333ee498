// The REST API of /api/v1, the aliases below /workspace/se, and the bare /health, /ready, /metrics,
// /docs and /openapi.json. openapi.yaml in this folder is its description.
#pragma once

#include <functional>
#include <string>

#include "async/task.hpp"
#include "control/control.hpp"
#include "http/router.hpp"
#include "observe/metrics.hpp"
#include "sandbox/registry.hpp"

namespace atl::api::rest {

// Who is told of executions that wait for a person.
struct WebhookOptions {
  std::string url;                        // empty: nobody
  std::string secret;                     // of the signature
  std::chrono::milliseconds again{1000};  // before the second try; then twice as long each time
  std::chrono::milliseconds patience{10'000};  // with one try
};

struct RestOptions {
  async::Executor executor;
  const sandbox::Registry* registry = nullptr;  // which backends there are; must outlive the router
  std::function<std::string()> endpoint;        // what GET /runtimes says of this node
  std::string version;
  std::uint64_t body_bytes = 16u << 20;      // of a JSON body
  std::uint64_t upload_bytes = 16ull << 30;  // of a request that brings files
  observe::Metrics* metrics = nullptr;       // none: the program's own
  std::function<bool()> draining;            // true: GET /ready says 503
  WebhookOptions approvals = {};
  std::string preview_domain = {};             // previews below it, beside those below localhost
  std::vector<std::string> cors_origins = {};  // of web pages that may call the API with a key
};

// `control` outlives the router. Background tasks of the API live as long as the router's handlers:
// destroy the router before the executor's context. Returns the handler of preview hosts.
http::Handler add_rest_routes(http::Router& router, control::Control& control,
                              const RestOptions& options);

}  // namespace atl::api::rest
