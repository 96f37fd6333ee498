#include "egress/first_bytes.hpp"

#include <algorithm>
#include <array>

namespace atl::egress {

namespace {

// A method, a blank, and how a target begins. Servers skip empty lines before that, so they are
// not a way round.
Speech http_or_not(std::string_view all) {
  constexpr auto kMethods = std::to_array<std::string_view>(
      {"GET ",      "HEAD ",      "POST ",     "PUT ",        "DELETE ", "OPTIONS ", "PATCH ",
       "TRACE ",    "CONNECT ",   "PROPFIND ", "PROPPATCH ",  "MKCOL ",  "COPY ",    "MOVE ",
       "LOCK ",     "UNLOCK ",    "REPORT ",   "SEARCH ",     "QUERY ",  "PURGE ",   "LINK ",
       "M-SEARCH ", "SUBSCRIBE ", "NOTIFY ",   "PRI * HTTP/2"});
  all.remove_prefix(std::min(all.find_first_not_of("\r\n"), all.size()));
  if (all.empty()) return Speech::kUnknown;
  for (std::string_view method : kMethods) {
    std::string_view seen = all.substr(0, method.size());
    if (seen != method.substr(0, seen.size())) continue;
    if (all.size() <= method.size()) return Speech::kUnknown;
    if (method.starts_with("PRI") || method.starts_with("CONNECT")) return Speech::kHttp;
    char next = all[method.size()];
    return next == '/' || next == '*' || next == 'h' || next == 'H' ? Speech::kHttp
                                                                    : Speech::kOpaque;
  }
  return Speech::kOpaque;
}

}  // namespace

Speech speech_of(std::string_view all, std::uint16_t port) {
  if (all.empty()) return Speech::kUnknown;
  auto first = static_cast<std::uint8_t>(all[0]);
  if (first == 0x16) return Speech::kTls;
  if (port == 80) return Speech::kHttp;
  if ((first & 0x80) != 0) {
    // A length, the message's type, and a version: 0.2, or 3.x in a hello for both.
    if (all.size() >= 3 && all[2] != 1) return Speech::kOpaque;
    if (all.size() < 4) return Speech::kUnknown;
    return all[3] == 0 || all[3] == 2 || all[3] == 3 ? Speech::kOldTls : Speech::kOpaque;
  }
  return http_or_not(all);
}

}  // namespace atl::egress
