// A dialect: somebody else's protocol on the port of REST. Each has its own router, its own form of
// refusals, and a rule for which requests are its own. The middleware asks the dialects in their
// order before REST, and renders whatever it refuses itself (401, 403, 404, 405, …) in the form of
// the dialect that owns the request.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/host.hpp"
#include "api/common/refusal.hpp"
#include "async/task.hpp"
#include "control/control.hpp"
#include "http/exchange.hpp"
#include "http/router.hpp"

namespace atl::api {

struct Dialect {
  std::string name;  // "opensandbox": what its operations are counted under
  // Looks at the head of a request alone. `preview`: what its host is, if it is such a host.
  std::function<bool(const http::Request& request, const std::optional<PreviewHost>& preview)> owns;
  // Every route declares its access, as those of REST do. The operation's name begins with the
  // dialect's.
  http::Router router;
  // What clients of this protocol read of a refusal.
  std::function<http::Response(const Refusal& refusal, const http::Request& request)> refuse;
  // Credentials of this protocol besides API keys, on a server with keys; may be absent. nullopt:
  // the request has none, so the key decides. Not asked for routes that anyone may call.
  std::function<async::Task<Answer<std::optional<control::Caller>>>(http::Exchange* exchange,
                                                                    std::string session)>
      admit;
};
using DialectPtr = std::shared_ptr<const Dialect>;
using Dialects = std::vector<DialectPtr>;

// What every dialect is told.
struct DialectOptions {
  async::Executor executor;
  std::string default_template = "python-default";
  std::map<std::string, std::string> images;  // their names, and Atoll's template for each
  std::uint64_t body_bytes = 16u << 20;       // of a JSON body
  std::uint64_t upload_bytes = 16ull << 30;   // of a request that brings files
};

// Null: the request is REST's, or for a preview.
const Dialect* dialect_of(const Dialects& dialects, const http::Request& request,
                          const std::optional<PreviewHost>& preview);

// The template that a foreign name stands for: as configured, a template of Atoll of this name, or
// the default one for names that match one of `known` ("python", "opensandbox/code-interpreter":
// without registry and tag). kNotFound: nothing here has this name.
Result<std::string> template_for(const DialectOptions& options, control::Control& control,
                                 const control::Caller& caller, const std::string& name,
                                 std::span<const std::string_view> known);
// "host:5000/a/b:1@sha256:…" -> "a/b". Pure.
std::string_view bare_image_name(std::string_view name);

}  // namespace atl::api
