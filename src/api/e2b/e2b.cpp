#include "api/e2b/e2b.hpp"

#include <algorithm>

#include "api/e2b/call.hpp"
#include "api/e2b/rpc.hpp"
#include "api/e2b/sandbox_request.hpp"

namespace atl::api::e2b {

namespace {

using Preview = std::optional<PreviewHost>;

// Paths that stay with Atoll and its other dialect, whatever the headers.
bool is_of_others(std::string_view path) {
  for (std::string_view folder : {"/api/", "/v1/", "/workspace/se/", "/mcp/"}) {
    if (path.starts_with(folder)) return true;
  }
  for (std::string_view one : {"/", "/api", "/v1", "/workspace/se", "/health", "/ready", "/metrics",
                               "/docs", "/openapi.json", "/mcp"}) {
    if (path == one) return true;
  }
  return path.starts_with("/sandboxes/") && path.find("/proxy/") != path.npos;
}

// The Python SDK 2.7 names the sandbox, and envd's port, in a call of the REST API as well.
bool is_rest_call(const http::Request& request) {
  return request.headers.has("x-api-key") && request.headers.get("e2b-sandbox-port") == "49983" &&
         (request.path.starts_with("/sandboxes/") || request.path.starts_with("/v2/sandboxes/"));
}

// The port of the sandbox that a request goes to.
std::optional<std::uint16_t> port_of(const http::Request& request, const Preview& preview) {
  auto named = sandbox_named(request, preview);
  if (!named || (!preview && is_rest_call(request))) return std::nullopt;
  return named->port;
}

bool is_rest(const http::Request& request, const Preview& preview) {
  if (preview || is_of_others(request.path)) return false;
  return request.headers.has("x-api-key") || request.headers.has("x-access-token");
}

http::Response refuse_rest(const Refusal& refusal, const http::Request&) {
  return error_response(refusal);
}

DialectPtr rest_dialect(const E2bPtr& e2b) {
  auto dialect = std::make_shared<Dialect>();
  dialect->name = "e2b";
  dialect->owns = is_rest;
  dialect->refuse = refuse_rest;
  Routes routes(dialect->router, e2b, false);
  add_sandboxes(routes);
  add_sandbox_changes(routes);
  add_snapshots(routes);
  add_unsupported(routes);
  return dialect;
}

// Everything that goes to a sandbox; `add` makes the routes.
std::shared_ptr<Dialect> sandbox_dialect(const E2bPtr& e2b, std::string name,
                                         std::initializer_list<void (*)(Routes&)> groups) {
  auto dialect = std::make_shared<Dialect>();
  dialect->name = std::move(name);
  dialect->refuse = sandbox_error;
  dialect->admit = [e2b](http::Exchange* exchange, std::string) {
    return admit_to_sandbox(e2b, exchange);
  };
  Routes routes(dialect->router, e2b, true);
  for (auto* add : groups) add(routes);
  return dialect;
}

}  // namespace

Dialects make_dialects(control::Control& control, const E2bOptions& options) {
  auto e2b = std::make_shared<E2b>(control, options);
  auto envd = sandbox_dialect(e2b, "e2b-envd", {add_envd, add_files, add_rpc});
  envd->owns = [](const http::Request& request, const Preview& preview) {
    return port_of(request, preview) == kEnvdPort || (!preview && names_by_token(request));
  };
  auto interpreter = sandbox_dialect(e2b, "e2b-interpreter", {add_interpreter});
  interpreter->owns = [](const http::Request& request, const Preview& preview) {
    return port_of(request, preview) == kInterpreterPort;
  };
  auto ports = sandbox_dialect(e2b, "e2b-port", {add_ports});
  ports->owns = [](const http::Request& request, const Preview& preview) {
    return port_of(request, preview).has_value();
  };
  return {std::move(envd), std::move(interpreter), std::move(ports), rest_dialect(e2b)};
}

}  // namespace atl::api::e2b
