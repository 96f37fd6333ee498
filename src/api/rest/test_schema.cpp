#include "api/rest/test_schema.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "codec/json.hpp"
#include "http/sse.hpp"

namespace atl::api::rest::test {

namespace {

using boost::json::object;
using boost::json::value;

bool has_type(const value& one, std::string_view type) {
  if (type == "object") return one.is_object();
  if (type == "array") return one.is_array();
  if (type == "string") return one.is_string();
  if (type == "boolean") return one.is_bool();
  if (type == "null") return one.is_null();
  if (type == "integer") return one.is_int64() || one.is_uint64();
  return one.is_number();
}

bool has_one_of(const value& one, const value& types) {
  if (const auto* name = types.if_string()) return has_type(one, {name->data(), name->size()});
  return std::ranges::any_of(types.as_array(), [&](const value& type) {
    return has_type(one, std::string_view(type.as_string()));
  });
}

}  // namespace

SchemaCheck::SchemaCheck(std::string_view openapi_json)
    : document_(codec::parse(openapi_json).value()) {}

const value& SchemaCheck::resolved(const value& one) const {
  const object* members = one.if_object();
  const value* reference = members != nullptr ? members->if_contains("$ref") : nullptr;
  // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): part of the document, always
  if (reference == nullptr) return one;
  return document_.at_pointer(reference->as_string().subview(1));  // without the '#'
}

const value* SchemaCheck::operation_named(std::string_view name) const {
  for (const auto& [path, item] : document_.at("paths").as_object()) {
    for (const auto& [method, operation] : item.as_object()) {
      const object* members = operation.if_object();
      if (members != nullptr && members->at("operationId").as_string() == name) return &operation;
    }
  }
  return nullptr;
}

void SchemaCheck::check_object(const object& schema, const object& one, const std::string& at,
                               std::vector<std::string>& out) const {
  if (const value* required = schema.if_contains("required")) {
    for (const value& name : required->as_array()) {
      if (!one.contains(name.as_string())) {
        out.push_back(at + "/" + std::string(name.as_string()) + " is missing");
      }
    }
  }
  const value* properties = schema.if_contains("properties");
  const value* others = schema.if_contains("additionalProperties");
  for (const auto& [name, member] : one) {
    std::string here = at + "/" + std::string(name);
    const value* known = properties ? properties->as_object().if_contains(name) : nullptr;
    if (known != nullptr) {
      check(*known, member, here, out);
    } else if (others != nullptr && others->is_object()) {
      check(*others, member, here, out);
    } else if (properties != nullptr) {
      out.push_back(here + " is not described");
    }
  }
}

void SchemaCheck::check(const value& described, const value& one, const std::string& at,
                        std::vector<std::string>& out) const {
  const object& schema = resolved(described).as_object();
  if (const value* types = schema.if_contains("type"); types && !has_one_of(one, *types)) {
    out.push_back(at + " has another type: " + codec::serialize(one).substr(0, 100));
    return;
  }
  if (const value* choices = schema.if_contains("enum")) {
    const auto& all = choices->as_array();
    if (std::ranges::find(all, one) == all.end()) out.push_back(at + " is none of the choices");
  }
  if (const auto* list = one.if_array()) {
    const value* items = schema.if_contains("items");
    for (std::size_t i = 0; items != nullptr && i < list->size(); ++i) {
      check(*items, (*list)[i], at + "/" + std::to_string(i), out);
    }
  }
  if (const object* members = one.if_object()) check_object(schema, *members, at, out);
}

std::vector<std::string> SchemaCheck::event_problems(const value& media,
                                                     std::string_view body) const {
  const value* item = media.as_object().if_contains("itemSchema");
  if (item == nullptr) return {"the events are not described"};
  auto has_name = [](const value& described, std::string_view name) {
    const object& said = described.at("properties").at("event").as_object();
    if (const value* only = said.if_contains("const")) return only->as_string() == name;
    const auto& all = said.at("enum").as_array();
    return std::ranges::find(all, value(name)) != all.end();
  };
  std::vector<std::string> out;
  http::SseReader reader;
  if (!reader.feed(body)) return {"no event stream"};
  while (auto event = reader.next()) {
    const auto& kinds = resolved(*item).at("oneOf").as_array();
    auto kind =
        std::ranges::find_if(kinds, [&](const value& one) { return has_name(one, event->event); });
    if (kind == kinds.end()) {
      out.push_back("the event " + event->event + " is not described");
      continue;
    }
    object whole{{"event", event->event}, {"data", event->data}};
    if (!event->id.empty()) whole["id"] = event->id;
    check(*kind, whole, event->event, out);
    auto data = codec::parse(event->data, {.max_bytes = event->data.size() + 1, .max_depth = 128});
    if (!data) {
      out.push_back("the data of " + event->event + " is no JSON");
    } else {
      check(kind->at("properties").at("data").at("contentSchema"), *data, event->event + "/data",
            out);
    }
  }
  return out;
}

std::vector<std::string> SchemaCheck::problems(std::string_view operation, int status,
                                               std::string_view type, std::string_view body) const {
  const value* found = operation_named(operation);
  if (found == nullptr) return {std::string(operation) + " is not described"};
  const object& responses = found->at("responses").as_object();
  const value* response = responses.if_contains(std::to_string(status));
  bool by_default = response == nullptr;
  if (by_default) response = responses.if_contains("default");
  if (response == nullptr) {
    if (status >= 400) return {};  // of the layers around the operation
    return {"status " + std::to_string(status) + " is not described"};
  }
  const value* content = resolved(*response).as_object().if_contains("content");
  if (content == nullptr) return {};
  if (by_default && status < 400) return {"status " + std::to_string(status) + " is no default"};
  std::string_view media = type.substr(0, type.find(';'));
  const value* described = content->as_object().if_contains(media);
  if (described == nullptr) return {"type " + std::string(type) + " is not described"};
  if (media == "text/event-stream") return event_problems(*described, body);
  if (!media.ends_with("json")) return {};
  auto parsed = codec::parse(body, {.max_bytes = body.size() + 1, .max_depth = 128});
  if (!parsed) return {"no JSON"};
  std::vector<std::string> out;
  check(described->at("schema"), *parsed, "", out);
  return out;
}

}  // namespace atl::api::rest::test
