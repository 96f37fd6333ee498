#include "api/common/proxy_headers.hpp"

#include <algorithm>
#include <array>

#include "api/common/middleware.hpp"

namespace atl::api {

namespace {

constexpr std::array<std::string_view, 9> kOfConnection{"connection",
                                                        "keep-alive",
                                                        "proxy-authenticate",
                                                        "proxy-authorization",
                                                        "proxy-connection",
                                                        "te",
                                                        "trailer",
                                                        "transfer-encoding",
                                                        "upgrade"};
constexpr std::array<std::string_view, 5> kOfRequest{"host", "content-length", "expect",
                                                     "x-api-key", "open-sandbox-api-key"};

constexpr std::string_view kForwarded = "x-forwarded-";

bool is_of_connection(const http::Headers& headers, std::string_view name) {
  return is_among(kOfConnection, name) || headers.has_token("connection", name);
}

}  // namespace

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::any_of(names,
                             [&](std::string_view one) { return http::same_name(one, name); });
}

bool is_upgrade(const http::Headers& headers) {
  return headers.has_token("connection", "upgrade") && headers.has("upgrade");
}

http::Headers request_headers(const http::Request& request, const std::string& prefix) {
  http::Headers out;
  auto key = shown_key(request);
  for (const auto& [name, value] : request.headers) {
    bool dropped = is_of_connection(request.headers, name) || is_among(kOfRequest, name) ||
                   http::same_name(name.substr(0, kForwarded.size()), kForwarded);
    if (dropped || (key && http::same_name(key->field, name))) continue;
    out.add(name, value);
  }
  if (is_upgrade(request.headers)) {
    out.add("Connection", "Upgrade");
    out.add("Upgrade", request.headers.get("upgrade"));
  }
  out.add("X-Forwarded-Host", request.headers.get("host"));
  out.add("X-Forwarded-Proto", request.tls ? "https" : "http");
  if (!prefix.empty()) out.add("X-Forwarded-Prefix", prefix);
  return out;
}

http::Headers answer_headers(const http::Headers& inside, bool upgrade) {
  http::Headers out;
  for (const auto& [name, value] : inside) {
    bool kept = upgrade && http::same_name(name, "upgrade");
    if (!kept && (is_of_connection(inside, name) || http::same_name(name, "content-length"))) {
      continue;
    }
    out.add(name, value);
  }
  return out;
}

std::string inside_target(const http::Request& request) {
  std::string target =
      request.raw_rest.starts_with('/') ? request.raw_rest : "/" + request.raw_rest;
  std::size_t query = request.target.find('?');
  if (query != std::string::npos) target += request.target.substr(query);
  return target;
}

}  // namespace atl::api
