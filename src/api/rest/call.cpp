#include "api/rest/call.hpp"

#include <algorithm>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"

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

std::string in_query(std::string_view name, std::string_view wrong) {
  return "the query parameter `" + std::string(name) + "` " + std::string(wrong);
}

}  // namespace

Rest::Rest(control::Control& plane, const RestOptions& wishes)
    : control(plane),
      options(wishes),
      metrics(wishes.metrics != nullptr ? *wishes.metrics : observe::metrics()),
      pool(2),
      tasks(wishes.executor) {}

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

Answer<void> require_admin(const Call& call) {
  if (call.caller.is_admin()) return {};
  return refuse(Code::kForbidden, "this needs a key with the role admin or owner");
}

Answer<void> require_writer(const Call& call) {
  if (call.caller.may_write()) return {};
  return refuse(Code::kForbidden, "this key is read-only");
}

Answer<std::uint64_t> query_number(const Call& call, std::string_view name, std::uint64_t absent,
                                   std::uint64_t least, std::uint64_t most) {
  auto text = call.request().find_query(name);
  if (!text) return absent;
  auto number = to_number(*text);
  if (!number || *number < least || *number > most) {
    return refuse(Code::kInvalidArgument,
                  in_query(name, "must be a number from " + std::to_string(least) + " to " +
                                     std::to_string(most)));
  }
  return *number;
}

Answer<bool> query_flag(const Call& call, std::string_view name, bool absent) {
  auto text = call.request().find_query(name);
  if (!text) return absent;
  if (text->empty() || *text == "true" || *text == "1") return true;
  if (*text == "false" || *text == "0") return false;
  return refuse(Code::kInvalidArgument, in_query(name, "must be true or false"));
}

Answer<model::Page> query_page(const Call& call) {
  ATOLL_TRY(std::uint64_t limit, query_number(call, "limit", kPage, 1, kMaxPage));
  std::string_view cursor = call.request().query_value("cursor");
  auto of_an_id = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  if (!cursor.empty() && (cursor.size() != 26 || !std::ranges::all_of(cursor, of_an_id))) {
    return refuse(Code::kInvalidArgument,
                  in_query("cursor", "is unknown; use the next_cursor of an earlier answer"));
  }
  return model::Page{.after = std::string(cursor), .limit = static_cast<std::size_t>(limit)};
}

Answer<void> known_query(const Call& call, std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : call.request().query) {
    if (std::ranges::find(names, name) == names.end()) {
      return refuse(Code::kInvalidArgument, in_query(name, "is unknown here"));
    }
  }
  return {};
}

}  // namespace atl::api::rest
