// Tells people where they are that an execution waits for them, and what was decided: a signed POST
// to approvals.webhook. Bounded: so many deliveries wait, each is tried so often, and a server that
// hangs or redirects holds up nobody.
#pragma once

#include "api/rest/call.hpp"

namespace atl::api::rest {

// What it works with; all of it outlives the tasks.
struct WebhookParts {
  async::Executor executor;
  control::Control* control;
  observe::Metrics* metrics;
  WebhookOptions options;
  std::string version;
};
// Nothing when no URL is configured.
void start_approval_webhook(async::TaskGroup& tasks, WebhookParts parts);

struct WebhookUrl {
  std::string endpoint;  // "https://host:port"
  std::string target;    // "/path?query"
  std::string user;      // "name:password", or empty
};
WebhookUrl split_webhook_url(std::string_view url);

// The value of Atoll-Signature: "sha256=" and HMAC-SHA256 over the timestamp, a dot and the body.
std::string webhook_signature(std::string_view secret, std::string_view timestamp,
                              std::string_view body);

}  // namespace atl::api::rest
