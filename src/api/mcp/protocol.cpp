#include "api/mcp/protocol.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>

#include "api/common/text.hpp"
#include "codec/base64.hpp"

namespace atl::api::mcp {

namespace {

namespace json = boost::json;

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kInfoKey = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr std::size_t kMaxVersion = 64;
constexpr std::size_t kMaxClientName = 128;
constexpr std::string_view kBegin = "=?base64?";
constexpr std::string_view kEnd = "?=";

std::unexpected<Fault> invalid(std::string why, int status = 200) {
  return std::unexpected(
      Fault{.code = kInvalidParams, .message = std::move(why), .status = status});
}

std::unexpected<Fault> mismatch(std::string why) {
  return std::unexpected(Fault{
      .code = kHeaderMismatch, .message = "Header mismatch: " + std::move(why), .status = 400});
}

bool is_plain(std::string_view text) {
  bool visible = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
  return visible && trim(text) == text && !(text.starts_with(kBegin) && text.ends_with(kEnd));
}

// params.name or params.uri, where the head has to say it again.
std::optional<std::string_view> named_member(const std::string& method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  return std::nullopt;
}

std::expected<void, Fault> check_name(const Message& message, const http::Headers& headers) {
  std::optional<std::string_view> member = named_member(message.method);
  if (!member) return {};
  auto given = headers.find("mcp-name");
  if (!given) return mismatch("the Mcp-Name header is missing");
  std::optional<std::string> name = from_header_value(*given);
  if (!name) return mismatch("the Mcp-Name header is malformed");
  const json::value* value = message.params.if_contains(*member);
  const json::string* said = value != nullptr ? value->if_string() : nullptr;
  if (said == nullptr || std::string_view(*said) != *name) {
    return mismatch("the Mcp-Name header does not match params." + std::string(*member));
  }
  return {};
}

}  // namespace

bool has_batches(std::string_view version) {
  return version == "2025-03-26" || version == "2024-11-05";
}

bool is_legacy(std::string_view version) {
  return std::ranges::find(kLegacy, version) != kLegacy.end();
}

Fault unsupported_version(std::string_view requested) {
  json::array supported{json::value(kModern)};
  for (std::string_view one : kLegacy) supported.emplace_back(one);
  return {.code = kUnsupportedVersion,
          .message = "Unsupported protocol version",
          .data = json::object{{"supported", std::move(supported)},
                               {"requested", json_text(requested.substr(0, kMaxVersion))}},
          .status = 400};
}

std::expected<ClientInfo, Fault> read_client(const json::value* info,
                                             const json::value* capabilities) {
  ClientInfo client;
  if (info != nullptr) {
    const json::object* members = info->if_object();
    const json::value* name = members != nullptr ? members->if_contains("name") : nullptr;
    if (name == nullptr || !name->is_string()) return invalid("clientInfo needs a name");
    const json::string& text = name->get_string();
    client.name.assign(text.data(), std::min(text.size(), kMaxClientName));
  }
  if (capabilities != nullptr) {
    const json::object* members = capabilities->if_object();
    if (members == nullptr) return invalid("the client's capabilities must be an object");
    if (const json::value* elicitation = members->if_contains("elicitation")) {
      const json::object* modes = elicitation->if_object();
      // An empty object means forms, as it did before there was anything else.
      client.can_elicit = modes != nullptr && (modes->empty() || modes->contains("form"));
    }
  }
  return client;
}

std::expected<RequestMeta, Fault> read_meta(const json::object& params) {
  RequestMeta meta;
  const json::value* given = params.if_contains("_meta");
  if (given == nullptr) return meta;
  const json::object* members = given->if_object();
  if (members == nullptr) return invalid("`_meta` must be an object", 400);
  if (const json::value* token = members->if_contains("progressToken")) {
    if (!is_id(*token)) return invalid("progressToken must be a string or an integer");
    meta.progress_token = *token;
  }
  if (const json::value* version = members->if_contains(kVersionKey)) {
    const json::string* text = version->if_string();
    if (text == nullptr) return invalid("the protocol version must be a string", 400);
    meta.version = std::string(text->data(), text->size());
  }
  const json::value* capabilities = members->if_contains(kCapabilitiesKey);
  if (capabilities != nullptr) {
    auto client = read_client(members->if_contains(kInfoKey), capabilities);
    if (!client) return invalid(std::move(client.error().message), 400);
    meta.client = std::move(*client);
  }
  return meta;
}

bool is_modern(const RequestMeta& meta, const http::Headers& headers) {
  if (meta.version) return true;
  auto version = headers.find("mcp-protocol-version");
  return version && !is_legacy(*version);
}

std::expected<void, Fault> check_modern(const Message& message, const RequestMeta& meta,
                                        const http::Headers& headers) {
  std::string_view said = headers.get("mcp-protocol-version");
  std::string_view version = meta.version ? std::string_view(*meta.version) : said;
  if (meta.version && said.empty()) return mismatch("the MCP-Protocol-Version header is missing");
  if (meta.version && said != version) {
    return mismatch("the MCP-Protocol-Version header does not match _meta");
  }
  if (version != kModern) return std::unexpected(unsupported_version(version));
  if (message.kind == Message::Kind::kNotification) return {};
  auto method = headers.find("mcp-method");
  if (!method) return mismatch("the Mcp-Method header is missing");
  if (*method != message.method) return mismatch("the Mcp-Method header does not match `method`");
  if (auto named = check_name(message, headers); !named) return named;
  if (!meta.version) return invalid("_meta needs " + std::string(kVersionKey), 400);
  if (!meta.client) return invalid("_meta needs " + std::string(kCapabilitiesKey), 400);
  return {};
}

std::string header_value(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  return std::string(kBegin) + codec::base64(text) + std::string(kEnd);
}

std::optional<std::string> from_header_value(std::string_view value) {
  value = trim(value);
  if (value.size() < kBegin.size() + kEnd.size() || !value.starts_with(kBegin) ||
      !value.ends_with(kEnd)) {
    return std::string(value);
  }
  value.remove_prefix(kBegin.size());
  value.remove_suffix(kEnd.size());
  return codec::from_base64(value);
}

}  // namespace atl::api::mcp
