// The revisions of the protocol and what a request says about itself: its era, its version, the
// client, what that can do. Pure.
//
// A legacy client says all this once, in `initialize`, and has a session from then on. A modern one
// says it with every request, in `params._meta`, and over HTTP in fields of the head as well.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "api/mcp/message.hpp"
#include "base/expected.hpp"
#include "http/message.hpp"

namespace atl::api::mcp {

inline constexpr std::string_view kModern = "2026-07-28";
inline constexpr std::string_view kNewestLegacy = "2025-11-25";
inline constexpr std::array<std::string_view, 4> kLegacy{kNewestLegacy, "2025-06-18", "2025-03-26",
                                                         "2024-11-05"};
// The oldest two have batches.
bool has_batches(std::string_view version);
bool is_legacy(std::string_view version);

struct ClientInfo {
  std::string name;
  bool can_elicit = false;  // forms
};

// What `_meta` of any request may hold.
struct RequestMeta {
  std::optional<std::string> version;  // of a modern request
  std::optional<ClientInfo> client;    // what a modern request says of it
  boost::json::value progress_token = nullptr;
};

// kInvalidParams for members of a wrong type.
std::expected<RequestMeta, Fault> read_meta(const boost::json::object& params);

// ClientInfo of `initialize`, whose params hold clientInfo and capabilities.
std::expected<ClientInfo, Fault> read_client(const boost::json::value* info,
                                             const boost::json::value* capabilities);

// A request is modern when it, or its head, says a version that is not a legacy one.
bool is_modern(const RequestMeta& meta, const http::Headers& headers);

// Whether a modern request is complete, and its head says the same as its body.
std::expected<void, Fault> check_modern(const Message& message, const RequestMeta& meta,
                                        const http::Headers& headers);

// `supported` and `requested`, as modern clients read them.
Fault unsupported_version(std::string_view requested);

// How a name or URI stands in a field of the head: plain, or base64 between marks.
std::string header_value(std::string_view text);
std::optional<std::string> from_header_value(std::string_view value);

}  // namespace atl::api::mcp
