// What every request passes, whatever protocol it speaks: a request id, the trace, the host that it
// names, the key, the role, figures and one line of the log.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/dialect.hpp"
#include "control/caller.hpp"
#include "control/control.hpp"
#include "http/exchange.hpp"
#include "http/router.hpp"
#include "observe/metrics.hpp"

namespace atl::api {

struct AuthOptions {
  bool required = true;                 // false: every client that reaches the port is an admin
  observe::Metrics* metrics = nullptr;  // none: the program's own
  std::string preview_domain = {};      // previews below it, beside those below localhost
  std::vector<std::string> cors_origins = {};  // web pages that may call with a key; not previews
  http::Handler preview = {};  // of requests to preview hosts, with captures id and port
  Dialects dialects = {};      // asked before the router and previews, in this order
};

// Checks the access that the route declares (http::Access), then calls it: the Caller goes into
// exchange.attachment(). Requests of a dialect go to its router, and what is refused is rendered as
// it says; requests to preview hosts go to options.preview and never to the router, which must
// outlive the handler.
http::Handler wrap(const http::Router& router, control::Control& control, AuthOptions options);

// Who asks; an admin of the default tenant where no key is needed and nobody was asked.
control::Caller caller_of(http::Exchange& exchange);

// The key of a request and the field it came in: Authorization: Bearer, X-API-Key,
// OPEN-SANDBOX-API-KEY, in this order.
struct ShownKey {
  std::string_view field;
  std::string_view secret;
};
std::optional<ShownKey> shown_key(const http::Request& request);

}  // namespace atl::api
