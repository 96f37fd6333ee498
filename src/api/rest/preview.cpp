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
#include "api/common/preview_link.hpp"
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

// A path that a browser reads as a path of this host: "//x" and "/\x" name another one.
std::string own_location(std::string target) {
  bool plain = target == "/" || target.starts_with("/?") ||
               (target.size() > 1 && target[0] == '/' && target[1] != '/' && target[1] != '\\' &&
                static_cast<unsigned char>(target[1]) > ' ');
  if (plain) return target;
  return target.starts_with('/') ? "/." + target : "/";
}

Task<Answer<void>> take_token(Call call, std::uint16_t port) {
  std::string cookie =
      sign_preview(call.control(), call.caller, call.session_id(), port,
                   PreviewTokens::Kind::kCookie, preview_end(call.control(), kCookieTime));
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

Task<Answer<http::Response>> create_token(Call call) {
  ATOLL_CO_TRY(std::uint16_t port, port_of(call.request()));
  ATOLL_CO_CHECK(check_preview_port(port));
  ATOLL_CO_TRY(bodies::PreviewTokenBody body,
               co_await read_json<bodies::PreviewTokenBody>(call, kMaxSmallBody));
  if (body.ttl == 0 || body.ttl > kLongestTtl) {
    co_return refuse_value("/ttl", "must be from 1 to 3600 seconds");
  }
  ATOLL_CO_CHECK(co_await call.control().sessions().live(call.caller, call.session_id()));
  const RestOptions& options = call.rest->options;
  PreviewLinks links = make_preview_links(call.control(), call.caller,
                                          {.session = call.session_id(),
                                           .port = port,
                                           .ttl = std::chrono::seconds(body.ttl),
                                           .host = std::string(call.request().headers.get("host")),
                                           .https = is_https(call.request()),
                                           .own = options.endpoint(),
                                           .preview_domain = options.preview_domain});
  boost::json::array urls;
  for (const std::string& url : links.urls) urls.emplace_back(url);
  object answer{
      {"token", links.token}, {"expires_at", rfc3339(links.expires)}, {"urls", std::move(urls)}};
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
