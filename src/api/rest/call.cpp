#include "api/rest/call.hpp"

#include <algorithm>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "base/environment_name.hpp"
#include "codec/base64.hpp"
#include "codec/sha256.hpp"

namespace atl::api::rest {

namespace {

bool is_json(std::string_view type) {
  std::string_view name = type.substr(0, type.find(';'));
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return http::same_name(name, "application/json") ||
         (name.size() > 5 && http::same_name(name.substr(name.size() - 5), "+json"));
}

// `curl -d ''` names the type of a form that is not there.
bool has_body(const http::Headers& headers) {
  std::string_view length = headers.get("content-length");
  return headers.has("transfer-encoding") || (!length.empty() && length != "0");
}

}  // namespace

Rest::Rest(control::Control& plane, const RestOptions& wishes)
    : control(plane),
      options(wishes),
      metrics(wishes.metrics != nullptr ? *wishes.metrics : observe::metrics()),
      pool(2),
      tasks(wishes.executor) {}

PortCall port_call(const Call& call) {
  return {.executor = call.rest->options.executor,
          .control = &call.control(),
          .exchange = call.exchange,
          .caller = call.caller,
          .session = call.session_id()};
}

Task<Answer<std::string>> read_json_text(Call call, std::uint64_t limit) {
  auto type = call.request().headers.find("content-type");
  if (type && has_body(call.request().headers) && !is_json(*type)) {
    co_return refuse(415, "unsupported_media_type", "the body must be application/json");
  }
  if (call.request().headers.find("content-encoding")) {
    co_return refuse(415, "unsupported_media_type", "the body must be plain, not encoded");
  }
  ATOLL_CO_TRY(std::string text,
               co_await call.exchange->read_body(std::min(limit, call.rest->options.body_bytes)));
  if (text.empty()) text = "{}";
  co_return text;
}

http::Response json_text_response(int status, std::string body) {
  http::Response response{.status = status, .body = std::move(body)};
  response.headers.add("Content-Type", "application/json");
  return response;
}

http::Response json_response(int status, const boost::json::value& body) {
  return json_text_response(status, codec::serialize(body));
}

http::Response no_content() { return {.status = 204}; }

void record(const Call& call, model::AuditAction action, std::string detail) {
  call.control().audit().soon(control::audit_row(
      call.caller,
      {.action = action, .session_id = call.session_id(), .detail = std::move(detail)}));
}

Task<Answer<control::Once>> begin_once(Call call, std::string body) {
  const http::Request& request = call.request();
  auto key = request.headers.find("idempotency-key");
  if (!key) co_return control::Once();
  bool printable =
      std::ranges::all_of(*key, [](char letter) { return letter > 32 && letter < 127; });
  if (key->empty() || key->size() > kMaxIdempotencyKey || !printable) {
    co_return refuse(Code::kInvalidArgument,
                     "Idempotency-Key must have 1 to 255 printable characters");
  }
  std::string fingerprint = codec::sha256_hex(std::string(http::method_name(request.method)) + " " +
                                              request.path + "\n" + codec::sha256_hex(body));
  auto begun = co_await call.control().idempotency().begin(
      call.caller, {.key = std::string(*key), .fingerprint = std::move(fingerprint)});
  if (!begun) co_return std::unexpected<Refusal>(std::move(begun).error());
  co_return std::move(*begun);
}

http::Response mark_replayed(http::Response response, bool replayed) {
  if (replayed) response.headers.add("Idempotency-Replayed", "true");
  return response;
}

Answer<void> check_text(const std::optional<std::string>& text, const std::string& at,
                        std::size_t longest) {
  if (text && text->size() > longest) {
    return refuse_value(at, "is longer than " + std::to_string(longest) + " bytes");
  }
  if (text && text->find('\0') != text->npos) return refuse_value(at, "must not contain NUL bytes");
  return {};
}

Answer<void> check_seconds(const std::optional<std::uint64_t>& seconds, const std::string& at) {
  if (seconds && (*seconds == 0 || *seconds > kMaxSeconds)) {
    return refuse_value(at, "must be from 1 to " + std::to_string(kMaxSeconds) + " seconds");
  }
  return {};
}

Answer<void> check_map(const std::optional<StringMap>& map, const std::string& at,
                       std::size_t longest) {
  if (!map) return {};
  if (map->size() > kMaxEntries) {
    return refuse_value(at, "has more than " + std::to_string(kMaxEntries) + " members");
  }
  for (const auto& [name, value] : *map) {
    if (name.empty() || name.size() > kMaxName) {
      return refuse_value(at, "has a name that is empty or too long");
    }
    std::string field = at + "/" + pointer_segment(name);
    ATOLL_CHECK(check_text(name, field));
    ATOLL_CHECK(check_text(value, field, longest));
  }
  return {};
}

Answer<void> check_environment(const std::optional<StringMap>& map, const std::string& at) {
  for (const auto& [name, value] : map.value_or(StringMap())) {
    std::string field = at + "/" + pointer_segment(name.substr(0, kMaxEnvironmentName));
    if (!is_environment_name(name)) {
      return refuse_value(
          field,
          "is not the name of a variable: names have 1 to 256 bytes, no `=`, no blanks "
          "and no control characters");
    }
    if (!is_environment_value(value)) return refuse_value(field, "must not contain NUL bytes");
  }
  return check_map(map, at, kMaxValue);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as a body may be
Answer<void> check_no_nul(const boost::json::value& value, const std::string& at) {
  if (const auto* text = value.if_string()) return check_text(std::string(*text), at);
  if (const auto* members = value.if_object()) {
    for (const auto& [name, member] : *members) {
      std::string field = at + "/" + pointer_segment(name);
      ATOLL_CHECK(check_text(std::string(name), field));
      ATOLL_CHECK(check_no_nul(member, field));
    }
  } else if (const auto* items = value.if_array()) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      ATOLL_CHECK(check_no_nul((*items)[i], at + "/" + std::to_string(i)));
    }
  }
  return {};
}

std::string pointer_segment(std::string_view name) {
  std::string out;
  for (char letter : name) {
    if (letter == '~') {
      out += "~0";
    } else if (letter == '/') {
      out += "~1";
    } else {
      out += letter;
    }
  }
  return out;
}

Answer<std::optional<std::string>> text_or_base64(std::optional<std::string> text,
                                                  std::optional<std::string> coded,
                                                  std::string at) {
  if (text && coded) {
    return refuse_field(at + "_b64", "is mutually exclusive with `" + at.substr(1) + "`");
  }
  if (coded) {
    text = codec::from_base64(*coded);
    if (!text) return refuse_value(at + "_b64", "must be base64");
  }
  if (text && text->size() > kMaxStdin) return refuse_value(at, "is too long");
  return text;
}

}  // namespace atl::api::rest
