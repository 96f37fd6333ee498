// Previews: a port of a sandbox on a host name of its own, so that its pages have their own origin;
// and POST /sessions/{id}/ports/{port}/token, which lets a browser in.
#include <chrono>
#include <utility>

#include <boost/json/array.hpp>

#include "api/common/host.hpp"
#include "api/common/limits.hpp"
#include "api/common/middleware.hpp"
#include "api/common/page_headers.hpp"
#include "api/common/port_forward.hpp"
#include "api/common/preview_cookie.hpp"
#include "api/common/preview_gate.hpp"
#include "api/common/proxy_headers.hpp"
#include "api/common/text.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"

namespace atl::api::rest {

namespace {

using control::PreviewTokens;
using http::Method;

constexpr std::chrono::hours kCookieTime{12};
constexpr std::uint64_t kLongestTtl = 3600;

model::Time end_of(const Call& call, std::chrono::seconds time) {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(call.control().clock().wall()) +
         time;
}

std::string sign(const Call& call, PreviewTokens::Kind kind, std::uint16_t port,
                 model::Time expires) {
  control::PreviewGrant grant{.session = call.session_id().str(),
                              .port = port,
                              .tenant = call.caller.tenant,
                              .key_id = call.caller.key_id};
  return call.control().preview_tokens().sign(kind, grant, expires);
}

// A path that a browser reads as a path of this host: "//x" and "/\x" name another one.
std::string own_location(std::string target) {
  bool plain = target == "/" || target.starts_with("/?") ||
               (target.size() > 1 && target[0] == '/' && target[1] != '/' && target[1] != '\\' &&
                static_cast<unsigned char>(target[1]) > ' ');
  if (plain) return target;
  return target.starts_with('/') ? "/." + target : "/";
}

Task<Answer<void>> take_token(Call call, std::uint16_t port) {
  std::string cookie = sign(call, PreviewTokens::Kind::kCookie, port, end_of(call, kCookieTime));
  http::Response response{.status = 302};
  response.headers.add("Location", own_location(target_without_token(call.request())));
  response.headers.add("Set-Cookie", preview_cookie(cookie, is_https(call.request())));
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("Referrer-Policy", "no-referrer");
  (void)co_await call.exchange->respond(std::move(response));
  co_return Answer<void>();
}

// Without what let the request in. An Authorization that is no key of ours is for the server
// inside.
http::Headers headers_inside(const Call& call) {
  const http::Request& request = call.request();
  http::Headers all = request_headers(request, "");
  http::Headers out{{"Host", request.headers.get("host")}};
  for (const auto& [name, value] : all) {
    std::string kept = http::same_name(name, "cookie") ? without_preview_cookies(value) : value;
    if (!kept.empty() || value.empty()) out.add(name, kept);
  }
  auto key = shown_key(request);
  if (key && key->field == "Authorization" && !call.control().keys().knows(key->secret)) {
    out.add("Authorization", request.headers.get("authorization"));
  }
  return out;
}

std::string url_of(std::string_view scheme, std::string_view name, std::string_view port,
                   std::string_view token) {
  std::string url(scheme);
  url.append("://").append(name);
  if (!port.empty()) url.append(":").append(port);
  return url.append("/?").append(kTokenParameter).append("=").append(token);
}

// With the scheme and the port that this request came by. Below localhost the port is the server's
// own, unless the client itself says how it reaches loopback (a tunnel).
boost::json::array urls_of(const Call& call, std::uint16_t port, std::string_view token) {
  const RestOptions& options = call.rest->options;
  HostName host = parse_host(call.request().headers.get("host")).value_or(HostName());
  std::string_view scheme = is_https(call.request()) ? "https" : "http";
  std::string session = call.session_id().str();
  boost::json::array urls;
  if (!options.preview_domain.empty()) {
    urls.emplace_back(
        url_of(scheme, preview_name(port, session, options.preview_domain), host.port, token));
  }
  std::string own = options.endpoint();
  std::size_t begin = own.find("://");
  if (!is_loopback_name(host.name) && begin != std::string::npos) {
    scheme = std::string_view(own).substr(0, begin);
    host = parse_host(std::string_view(own).substr(begin + 3)).value_or(HostName());
  }
  urls.emplace_back(url_of(scheme, preview_name(port, session, ""), host.port, token));
  return urls;
}

Task<Answer<http::Response>> create_token(Call call) {
  ATOLL_CO_TRY(std::uint16_t port, port_of(call.request()));
  ATOLL_CO_CHECK(check_preview_port(port));
  ATOLL_CO_TRY(bodies::PreviewTokenBody body,
               co_await read_json<bodies::PreviewTokenBody>(call, kMaxSmallBody));
  if (body.ttl == 0 || body.ttl > kLongestTtl) {
    co_return refuse_value("/ttl", "must be from 1 to 3600 seconds");
  }
  ATOLL_CO_CHECK(co_await call.control().sessions().live(call.caller, call.session_id()));
  model::Time expires = end_of(call, std::chrono::seconds(body.ttl));
  std::string token = sign(call, PreviewTokens::Kind::kLink, port, expires);
  record(call, model::AuditAction::kPreviewTokenCreated, "port " + std::to_string(port));
  object answer{
      {"token", token}, {"expires_at", rfc3339(expires)}, {"urls", urls_of(call, port, token)}};
  http::Response response = json_response(201, answer);
  response.headers.add("Cache-Control", "no-store");
  co_return response;
}

}  // namespace

Task<Answer<void>> show_preview(Call call) {
  ATOLL_CO_TRY(std::uint16_t port, port_of(call.request()));
  const http::Request& request = call.request();
  bool reads = request.method == Method::kGet || request.method == Method::kHead;
  bool by_link = request.find_query(kTokenParameter).has_value();
  if (by_link && reads && !is_upgrade(request.headers)) {
    co_return co_await take_token(std::move(call), port);
  }
  Forward forward{.port = port,
                  .target = target_without_token(request),
                  .headers = headers_inside(call),
                  .answer = [](const http::Headers& inside, bool upgrade) {
                    return for_own_host(answer_headers(inside, upgrade));
                  }};
  co_return co_await forward_to_port(port_call(call), std::move(forward));
}

void add_preview_tokens(Routes& routes) {
  routes.add(Method::kPost, "/sessions/{id}/ports/{port}/token", "createPreviewToken",
             Access::kWriter, create_token);
}

}  // namespace atl::api::rest
