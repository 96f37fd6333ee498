#include "api/common/preview_gate.hpp"

#include <optional>
#include <utility>

#include "api/common/middleware.hpp"
#include "api/common/preview_cookie.hpp"

namespace atl::api {

namespace {

using async::Task;
using control::Caller;
using control::PreviewTokens;

std::unexpected<Refusal> invalid() {
  return refuse(401, "preview_token_invalid",
                "this token is not valid for this session and port: get one by "
                "POST /api/v1/sessions/{id}/ports/{port}/token");
}

Task<Answer<Caller>> holder_of(PreviewGate gate, PreviewTokens::Kind kind, PreviewHost host,
                               std::string token) {
  std::optional<std::string> key_id = PreviewTokens::key_of(token);
  if (!key_id || key_id->empty() == gate.keys) co_return invalid();
  Caller caller;
  if (gate.keys) {
    Result<Caller> known = co_await gate.control->keys().check_id(std::move(*key_id));
    if (!known) co_return invalid();
    caller = std::move(*known);
  }
  control::PreviewGrant grant{.session = std::move(host.session),
                              .port = host.port,
                              .tenant = caller.tenant,
                              .key_id = caller.key_id};
  switch (gate.control->preview_tokens().check(kind, grant, token)) {
    case PreviewTokens::Verdict::kValid: co_return caller;
    case PreviewTokens::Verdict::kInvalid: break;
    case PreviewTokens::Verdict::kExpired:
      co_return refuse(401, "preview_token_expired",
                       "this token has expired: get a new one by "
                       "POST /api/v1/sessions/{id}/ports/{port}/token");
  }
  co_return invalid();
}

// What a browser sends by itself, it also sends for pages of others.
Answer<Caller> unless_foreign(const PreviewGate& gate, const http::Request& request,
                              const PreviewHost& host, Answer<Caller> caller) {
  if (!is_foreign_page(request, host, gate.domain)) return caller;
  return refuse(403, "foreign_origin",
                "a preview takes no requests of web pages of other origins; pages of the same "
                "session's other ports may send theirs");
}

}  // namespace

Answer<void> check_preview_port(std::uint16_t port) {
  if (!is_reserved_port(port)) return {};
  return refuse(404, "port_reserved",
                "ports 49983 and 49999 have no preview: they are reserved for the E2B protocol, "
                "which this version does not speak");
}

Task<Answer<Caller>> admit_to_preview(PreviewGate gate, const http::Request* request,
                                      PreviewHost host) {
  if (host.port == 0) {
    co_return refuse(404, "no_such_preview",
                     "the host of a preview is PORT-SESSION.localhost, with a port from 1 to 65535 "
                     "and the id of a session");
  }
  ATOLL_CO_CHECK(check_preview_port(host.port));
  if (auto token = request->find_query(kTokenParameter)) {
    co_return co_await holder_of(gate, PreviewTokens::Kind::kLink, host, std::string(*token));
  }
  std::optional<Refusal> refused;
  for (std::string& token : preview_tokens(*request)) {
    Answer<Caller> caller =
        co_await holder_of(gate, PreviewTokens::Kind::kCookie, host, std::move(token));
    if (caller) co_return unless_foreign(gate, *request, host, std::move(caller));
    if (!refused || caller.error().code == "preview_token_expired") refused = caller.error();
  }
  if (!gate.keys && host.loopback) co_return unless_foreign(gate, *request, host, Caller{});
  std::optional<ShownKey> key = shown_key(*request);
  if (gate.keys && key) {
    Result<Caller> caller = co_await gate.control->keys().check(std::string(key->secret));
    if (caller) co_return std::move(*caller);
    if (!refused) refused = caller.error();
  }
  if (refused) co_return std::unexpected(std::move(*refused));
  co_return refuse(Code::kUnauthenticated,
                   "a preview is opened with ?atoll_token=TOKEN, which "
                   "POST /api/v1/sessions/{id}/ports/{port}/token gives, or with an API key");
}

}  // namespace atl::api
