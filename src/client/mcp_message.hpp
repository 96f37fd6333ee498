// What a link between stdio and HTTP needs to know of a JSON-RPC message. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atl::client {

struct McpMessage {
  std::string id;  // as JSON text; empty: none
  std::string method;
  std::optional<std::string> name;  // params.name or params.uri, where the head repeats it
  std::string version;              // that a modern message says; empty: a legacy one
  std::string cancelled_id;         // of notifications/cancelled

  bool modern() const { return !version.empty(); }
  bool is_request() const { return !id.empty() && !method.empty(); }
  bool is_notification() const { return id.empty() && !method.empty(); }
  bool is_initialize() const { return is_request() && method == "initialize" && !modern(); }
  bool is_cancellation() const { return id.empty() && method == "notifications/cancelled"; }
};

// All empty for what is no message: the server says what is wrong with it.
McpMessage read_mcp_message(std::string_view text);

// A JSON-RPC message, or several.
bool is_mcp_text(std::string_view text);
// The answer to the request with this id.
bool is_answer(std::string_view text, std::string_view id);
// result.protocolVersion.
std::string agreed_version(std::string_view text);

std::string error_line(const McpMessage& request, int code, std::string_view why);
// Plain, or as base64 between marks where a field of HTTP could not hold it.
std::string mcp_header_value(std::string_view text);

}  // namespace atl::client
