#include "api/opensandbox/dialect.hpp"

#include <utility>

#include "api/opensandbox/call.hpp"
#include "api/opensandbox/errors.hpp"

namespace atl::api::opensandbox {

namespace {

// /sandboxes/{id}/proxy/…
bool is_proxied(std::string_view path) {
  constexpr std::string_view kBegin = "/sandboxes/";
  if (!path.starts_with(kBegin)) return false;
  path.remove_prefix(kBegin.size());
  std::size_t slash = path.find('/');
  return slash != path.npos && slash > 0 && path.substr(slash).starts_with("/proxy/");
}

bool owns(const http::Request& request, const std::optional<PreviewHost>& preview) {
  if (preview) return false;
  return request.path == "/v1" || request.path.starts_with("/v1/") || is_proxied(request.path);
}

// What an endpoint's headers carry: their clients send the key to the lifecycle API alone.
Task<Answer<std::optional<control::Caller>>> admit(SharedPtr shared, http::Exchange* exchange,
                                                   std::string session) {
  if (!is_proxied(exchange->request().path)) co_return std::nullopt;
  auto token = exchange->request().headers.find(kTokenField);
  if (!token || token->empty() || session.empty()) co_return std::nullopt;
  ATOLL_CO_TRY(control::Caller caller, co_await shared->control.keys().check_session_token(
                                           std::string(*token), SessionId(std::move(session))));
  co_return caller;
}

}  // namespace

DialectPtr make_dialect(control::Control& control, DialectOptions options) {
  auto shared = std::make_shared<Shared>(control, std::move(options));
  auto dialect = std::make_shared<Dialect>();
  dialect->name = "opensandbox";
  dialect->owns = owns;
  dialect->refuse = render;
  dialect->admit = [shared](http::Exchange* exchange, std::string session) {
    return admit(shared, exchange, std::move(session));
  };
  Routes routes(dialect->router, shared);
  add_lifecycle(routes);
  add_snapshots(routes);
  add_diagnostics(routes);
  add_unsupported(routes);
  add_commands(routes);
  add_shells(routes);
  add_code(routes);
  add_files(routes);
  add_metrics(routes);
  add_policy(routes);
  add_terminals(routes);
  add_proxy(routes);
  return dialect;
}

}  // namespace atl::api::opensandbox
