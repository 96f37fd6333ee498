#include "api/e2b/sandbox_request.hpp"

#include <openssl/crypto.h>

#include <algorithm>

#include "api/common/middleware.hpp"
#include "api/common/text.hpp"
#include "api/e2b/connect.hpp"
#include "api/e2b/sandbox_notes.hpp"
#include "api/e2b/signature.hpp"
#include "base/utf8.hpp"

namespace atl::api::e2b {

namespace {

constexpr std::size_t kLongestId = 40;

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kLongestId && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
  });
}

Refusal not_found() { return Refusal(502, "sandbox_not_found", "The sandbox was not found"); }

// Of E2B's secured sandboxes: envd takes the access token, other ports the traffic token. Here both
// are the same, and some versions send only one of them to the interpreter.
std::string token_of(const http::Headers& headers) {
  for (std::string_view name : {"X-Access-Token", "E2B-Traffic-Access-Token"}) {
    std::string_view token = headers.get(name);
    if (!token.empty()) return std::string(token);
  }
  return {};
}

Task<Answer<control::AccessTokens::Holder>> by_signature(E2bPtr e2b, const http::Request* request,
                                                         std::optional<SandboxName> name) {
  ATOLL_CO_TRY(SignedLink link, signed_link(*request, e2b->control.clock().wall()));
  auto takes = [&link](std::string_view token) { return link.is_signed_with(token); };
  auto holder = co_await e2b->control.access_tokens().find(takes);
  bool other = holder && name && holder->session.str() != name->id;
  if (!holder || other) co_return refuse(Code::kUnauthenticated, "invalid signature");
  co_return std::move(*holder);
}

Task<Answer<control::AccessTokens::Holder>> by_token(E2bPtr e2b, std::string token) {
  auto takes = [&token](std::string_view own) {
    return own.size() == token.size() && ::CRYPTO_memcmp(own.data(), token.data(), own.size()) == 0;
  };
  auto holder = co_await e2b->control.access_tokens().find(takes);
  if (!holder) co_return std::unexpected<Refusal>(not_found());
  co_return std::move(*holder);
}

// Of a request that names no sandbox.
Task<Answer<control::AccessTokens::Holder>> holder_of(E2bPtr e2b, const http::Request* request) {
  std::string token = token_of(request->headers);
  if (token.empty()) co_return co_await by_signature(std::move(e2b), request, std::nullopt);
  co_return co_await by_token(std::move(e2b), std::move(token));
}

}  // namespace

std::optional<SandboxName> sandbox_named(const http::Request& request,
                                         const std::optional<PreviewHost>& host) {
  if (auto id = request.headers.find("e2b-sandbox-id"); id && !id->empty()) {
    SandboxName name{.id = std::string(*id)};
    if (auto port = request.headers.find("e2b-sandbox-port")) {
      auto number = to_number(trim(*port));
      name.port = number && *number <= 65535 ? static_cast<std::uint16_t>(*number) : 0;
    }
    return name;
  }
  bool ours = host && host->port != 0 &&
              (host->port == kEnvdPort || host->port == kInterpreterPort ||
               request.headers.has("e2b-traffic-access-token"));
  if (!ours) return std::nullopt;
  return SandboxName{.id = host->session, .port = host->port};
}

std::optional<SandboxName> sandbox_named(const E2b& e2b, const http::Request& request) {
  auto host = parse_host(request.headers.get("host"));
  return sandbox_named(request,
                       host ? preview_host(host->name, e2b.options.preview_domain) : std::nullopt);
}

bool is_signed_link(const http::Request& request) {
  return request.path == "/files" && request.find_query("signature").has_value();
}

bool names_by_token(const http::Request& request) {
  if (request.headers.has("e2b-sandbox-id")) return false;
  if (is_signed_link(request)) return true;
  return request.headers.has("x-access-token") &&
         (request.path == "/files" || request.path == "/health" || is_rpc(request.path));
}

Task<Answer<std::optional<control::Caller>>> admit_to_sandbox(E2bPtr e2b,
                                                              http::Exchange* exchange) {
  const http::Request& request = exchange->request();
  std::optional<SandboxName> name = sandbox_named(*e2b, request);
  std::string token = token_of(request.headers);
  if (!name && names_by_token(request)) {
    ATOLL_CO_TRY(control::AccessTokens::Holder holder, co_await holder_of(e2b, &request));
    co_return std::move(holder.caller);
  }
  if (token.empty() && is_signed_link(request)) {
    ATOLL_CO_TRY(control::AccessTokens::Holder holder, co_await by_signature(e2b, &request, name));
    co_return std::move(holder.caller);
  }
  if (token.empty() || !name) co_return std::nullopt;
  auto holder = co_await e2b->control.access_tokens().check(SessionId(name->id), std::move(token));
  if (holder) co_return std::move(holder->caller);
  if (holder.error().code() == Code::kSessionNotFound) {
    co_return std::unexpected<Refusal>(not_found());
  }
  co_return refuse(Code::kUnauthenticated, holder.error().message());
}

Task<Answer<void>> find_sandbox(Call* call) {
  const http::Request& request = call->request();
  std::optional<SandboxName> name = sandbox_named(*call->e2b, request);
  if (!name && names_by_token(request)) {
    ATOLL_CO_TRY(control::AccessTokens::Holder holder, co_await holder_of(call->e2b, &request));
    name = SandboxName{.id = holder.session.str()};
    if (!call->e2b->options.keys_required) call->caller = std::move(holder.caller);
  }
  if (!name || !is_id(name->id)) co_return std::unexpected<Refusal>(not_found());
  // Without keys nobody needs a token, but a wrong one is wrong.
  std::string token = token_of(request.headers);
  if (!call->e2b->options.keys_required && !token.empty()) {
    auto holder =
        co_await call->control().access_tokens().check(SessionId(name->id), std::move(token));
    if (!holder && holder.error().code() == Code::kUnauthenticated) {
      co_return refuse(Code::kUnauthenticated, holder.error().message());
    }
  }
  auto row = co_await call->control().sessions().get(call->caller, SessionId(name->id));
  if (!row || model::is_final(row->state)) co_return std::unexpected<Refusal>(not_found());
  if (row->state == model::SessionState::kPaused) {
    if (!notes_of(*row).auto_resume) co_return std::unexpected<Refusal>(not_found());
    ATOLL_CO_CHECK(co_await call->control().session_changes().resume(call->caller, row->id));
  }
  call->sandbox = row->id;
  co_return Answer<void>();
}

Refusal reason_of(const Call& call, Refusal refusal) {
  bool broken = refusal.error.code() == Code::kBackend ||
                refusal.error.code() == Code::kCancelled ||
                refusal.error.code() == Code::kConflict || refusal.error.code() == Code::kIo ||
                refusal.error.code() == Code::kProtocol;
  bool gone = call.control().sessions().row_of(call.sandbox) == nullptr;
  return broken && gone ? not_found() : refusal;
}

bool is_rpc(std::string_view path) {
  return path.starts_with("/process.Process/") || path.starts_with("/filesystem.Filesystem/");
}

http::Response sandbox_error(const Refusal& refusal, const http::Request& request) {
  if (refusal.status == 502) {
    return json_response(502, object{{"sandboxId", to_utf8(request.headers.get("e2b-sandbox-id"))},
                                     {"message", message_of(refusal)},
                                     {"code", 502}});
  }
  if (!is_rpc(request.path)) return error_response(refusal);
  object error = connect_error(refusal.error);
  int status = connect_status(connect_code(refusal.error.code()));
  if (refusal.status == 404 || refusal.status == 405) {
    error["code"] = "unimplemented";
    status = connect_status("unimplemented");
  }
  error["message"] = message_of(refusal);
  return json_response(status, error);
}

}  // namespace atl::api::e2b
