#include "client/mcp_message.hpp"

#include <algorithm>

#include <boost/json/object.hpp>

#include "base/utf8.hpp"
#include "codec/base64.hpp"
#include "codec/json.hpp"

namespace atl::client {

namespace {

namespace json = boost::json;

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";

std::optional<json::value> parse(std::string_view text) {
  auto value = codec::parse(text, {.max_bytes = text.size() + 1, .max_depth = 64});
  if (!value) return std::nullopt;
  return std::move(*value);
}

const json::value* member(const json::value* value, std::string_view name) {
  const json::object* members = value != nullptr ? value->if_object() : nullptr;
  return members != nullptr ? members->if_contains(name) : nullptr;
}

std::string text_of(const json::value* value) {
  const json::string* text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? std::string(text->data(), text->size()) : std::string();
}

std::string id_of(const json::value* value) {
  bool is_id = value != nullptr && (value->is_string() || value->is_number());
  return is_id ? codec::serialize(*value) : std::string();
}

}  // namespace

McpMessage read_mcp_message(std::string_view text) {
  McpMessage message;
  std::optional<json::value> value = parse(text);
  if (!value) return message;
  message.id = id_of(member(&*value, "id"));
  message.method = text_of(member(&*value, "method"));
  const json::value* params = member(&*value, "params");
  message.version = text_of(member(member(params, "_meta"), kVersionKey));
  if (message.method == "resources/read") {
    message.name = text_of(member(params, "uri"));
  } else if (message.method == "tools/call" || message.method == "prompts/get") {
    message.name = text_of(member(params, "name"));
  }
  if (message.is_cancellation()) message.cancelled_id = id_of(member(params, "requestId"));
  return message;
}

bool is_mcp_text(std::string_view text) {
  std::optional<json::value> value = parse(text);
  if (!value) return false;
  return value->is_array() || member(&*value, "jsonrpc") != nullptr;
}

bool is_answer(std::string_view text, std::string_view id) {
  std::optional<json::value> value = parse(text);
  if (!value || id.empty()) return false;
  if (value->is_array()) return true;
  const json::value* given = member(&*value, "id");
  // An error without an id: it could not be read, so it is the answer to what was sent.
  bool fits = given == nullptr ? member(&*value, "error") != nullptr : id_of(given) == id;
  return fits && member(&*value, "method") == nullptr;
}

std::string agreed_version(std::string_view text) {
  std::optional<json::value> value = parse(text);
  return value ? text_of(member(member(&*value, "result"), "protocolVersion")) : std::string();
}

std::string error_line(const McpMessage& request, int code, std::string_view why) {
  json::object error{{"code", code}, {"message", to_utf8(why)}};
  json::object answer{{"jsonrpc", "2.0"}, {"error", std::move(error)}};
  if (std::optional<json::value> id = parse(request.id)) answer["id"] = std::move(*id);
  return codec::serialize(answer);
}

std::string mcp_header_value(std::string_view text) {
  bool visible = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
  bool padded = text.starts_with(' ') || text.ends_with(' ');
  bool marked = text.starts_with("=?base64?") && text.ends_with("?=");
  if (visible && !padded && !marked) return std::string(text);
  return "=?base64?" + codec::base64(text) + "?=";
}

}  // namespace atl::client
