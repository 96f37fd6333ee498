#include "api/mcp/message.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>

#include "codec/json.hpp"

namespace atl::api::mcp {

namespace {

namespace json = boost::json;

constexpr double kSafe = 9007199254740991;  // 2^53 - 1

BadMessage bad(std::string why, json::value id = nullptr) {
  return {.fault = {.code = kInvalidRequest, .message = std::move(why), .status = 400},
          .id = std::move(id)};
}

// JavaScript writes 1, other languages may write 1.0.
std::optional<json::value> plain_id(const json::value& id) {
  if (id.is_int64() || id.is_uint64()) return id;
  if (const auto* text = id.if_string()) {
    if (text->size() > kMaxId) return std::nullopt;
    return id;
  }
  const double* number = id.if_double();
  bool whole = number != nullptr && std::trunc(*number) == *number && std::abs(*number) <= kSafe;
  if (!whole) return std::nullopt;
  return json::value(static_cast<std::int64_t>(*number));
}

Decoded read_response(const json::object& object, json::value id) {
  const json::value* result = object.if_contains("result");
  const json::value* error = object.if_contains("error");
  if ((result == nullptr) == (error == nullptr)) {
    return std::unexpected(bad("a message needs a method, a result or an error", std::move(id)));
  }
  Message message{
      .kind = Message::Kind::kResponse, .id = std::move(id), .method = {}, .params = {}};
  message.failed = error != nullptr;
  message.result = error != nullptr ? *error : *result;
  return message;
}

Decoded read_message(const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) return std::unexpected(bad("a message is a JSON object"));
  std::optional<json::value> id;
  const json::value* given = object->if_contains("id");
  if (given != nullptr) {
    id = plain_id(*given);
    if (!id) return std::unexpected(bad("`id` must be a string or an integer"));
  }
  const json::value* version = object->if_contains("jsonrpc");
  if (version == nullptr || *version != json::value("2.0")) {
    return std::unexpected(bad("`jsonrpc` must be \"2.0\"", id.value_or(nullptr)));
  }
  const json::value* method = object->if_contains("method");
  if (method == nullptr) {
    if (!id) return std::unexpected(bad("a response needs the `id` of its request"));
    return read_response(*object, std::move(*id));
  }
  const json::string* name = method->if_string();
  if (name == nullptr || name->empty() || name->size() > kMaxMethod) {
    return std::unexpected(bad("`method` must be a name", id.value_or(nullptr)));
  }
  Message message{.kind = id ? Message::Kind::kRequest : Message::Kind::kNotification,
                  .id = id.value_or(nullptr),
                  .method = std::string(name->data(), name->size()),
                  .params = {}};
  if (const json::value* params = object->if_contains("params")) {
    if (!params->is_object()) {
      return std::unexpected(bad("`params` must be an object", id.value_or(nullptr)));
    }
    message.params = params->get_object();
  }
  return message;
}

json::object envelope() { return {{"jsonrpc", "2.0"}}; }

}  // namespace

std::expected<Incoming, BadMessage> read_messages(std::string_view text) {
  auto value = codec::parse(text, {.max_bytes = text.size() + 1, .max_depth = kMaxNesting});
  if (!value) {
    return std::unexpected(BadMessage{.fault = {.code = kParseError,
                                                .message = "not JSON: " + value.error().detail,
                                                .status = 400}});
  }
  Incoming incoming;
  if (const json::array* batch = value->if_array()) {
    incoming.batch = true;
    if (batch->empty()) return std::unexpected(bad("a batch must not be empty"));
    if (batch->size() > kMaxBatch) {
      return std::unexpected(bad("a batch has at most " + std::to_string(kMaxBatch) + " messages"));
    }
    for (const json::value& one : *batch) incoming.messages.push_back(read_message(one));
    return incoming;
  }
  incoming.messages.push_back(read_message(*value));
  return incoming;
}

bool is_id(const json::value& value) { return plain_id(value).has_value(); }

std::string id_text(const json::value& id) {
  std::optional<json::value> plain = plain_id(id);
  return plain ? codec::serialize(*plain) : std::string();
}

json::object answer_of(const json::value& id, json::object result) {
  json::object answer = envelope();
  answer["id"] = id;
  answer["result"] = std::move(result);
  return answer;
}

json::object answer_of(const json::value& id, const Fault& fault) {
  json::object answer = envelope();
  // An id that could not be read is left out: null is no id in MCP.
  if (!id.is_null()) answer["id"] = id;
  json::object error{{"code", fault.code}, {"message", fault.message}};
  if (!fault.data.is_null()) error["data"] = fault.data;
  answer["error"] = std::move(error);
  return answer;
}

json::object notification(std::string_view method, json::object params) {
  json::object message = envelope();
  message["method"] = method;
  message["params"] = std::move(params);
  return message;
}

json::object request(std::string_view id, std::string_view method, json::object params) {
  json::object message = notification(method, std::move(params));
  message["id"] = id;
  return message;
}

}  // namespace atl::api::mcp
