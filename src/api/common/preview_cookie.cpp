#include "api/common/preview_cookie.hpp"

#include "api/common/text.hpp"
#include "http/uri.hpp"

namespace atl::api {

namespace {

// Browsers take a cookie with the prefix only over TLS, for Path=/ and without Domain.
constexpr std::string_view kName = "atoll_preview";
constexpr std::string_view kNameOverTls = "__Host-atoll_preview";
constexpr std::size_t kMostTokens = 64;

bool is_token_parameter(std::string_view part) {
  auto name = http::percent_decode(part.substr(0, part.find('=')), true);
  return name && *name == kTokenParameter;
}

}  // namespace

bool is_https(const http::Request& request) {
  return request.tls || http::same_name(request.headers.get("x-forwarded-proto"), "https");
}

std::string preview_cookie(std::string_view token, bool https) {
  std::string cookie(https ? kNameOverTls : kName);
  cookie.append("=").append(token).append("; Path=/; HttpOnly; SameSite=Lax");
  return https ? cookie + "; Secure" : cookie;
}

bool is_preview_cookie(std::string_view name) {
  return http::same_name(name, kName) || http::same_name(name, kNameOverTls);
}

std::vector<std::string> preview_tokens(const http::Request& request) {
  std::vector<std::string> tokens;
  std::string_view name = is_https(request) ? kNameOverTls : kName;
  for (const http::Headers::Field& field : request.headers) {
    if (!http::same_name(field.name, "cookie")) continue;
    for (std::string_view part : split(field.value, ';')) {
      std::size_t equals = part.find('=');
      if (equals == part.npos || tokens.size() == kMostTokens) continue;
      if (trim(part.substr(0, equals)) == name) {
        tokens.emplace_back(trim(part.substr(equals + 1)));
      }
    }
  }
  return tokens;
}

std::string without_preview_cookies(std::string_view cookies) {
  std::string kept;
  for (std::string_view part : split(cookies, ';')) {
    part = trim(part);
    if (part.empty() || is_preview_cookie(trim(part.substr(0, part.find('='))))) continue;
    if (!kept.empty()) kept += "; ";
    kept += part;
  }
  return kept;
}

std::string target_without_token(const http::Request& request) {
  std::size_t query = request.target.find('?');
  if (query == std::string::npos) return request.path;
  std::string kept;
  for (std::string_view part : split(std::string_view(request.target).substr(query + 1), '&')) {
    if (is_token_parameter(part)) continue;
    kept.append(kept.empty() ? "?" : "&").append(part);
  }
  return request.path + kept;
}

}  // namespace atl::api
