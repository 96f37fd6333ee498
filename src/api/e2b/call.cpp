#include "api/e2b/call.hpp"

#include <cmath>

#include "api/common/limits.hpp"
#include "api/common/middleware.hpp"
#include "api/e2b/sandbox_request.hpp"
#include "base/quota.hpp"
#include "base/utf8.hpp"
#include "http/problem.hpp"

namespace atl::api::e2b {

namespace {

std::unexpected<Refusal> wrong(std::string_view name, const char* what) {
  return refuse(Code::kInvalidArgument, std::string(name) + " " + what);
}

const value* member(const object& body, std::string_view name) {
  const value* found = body.if_contains(name);
  return found != nullptr && found->is_null() ? nullptr : found;
}

std::string text_of(const boost::json::string& text) { return {text.data(), text.size()}; }

bool has_nul(std::string_view text) { return text.find('\0') != text.npos; }

Task<void> refuse_with(Call call, Refusal refusal) {
  if (call.exchange->answered()) co_return;  // begun and not finished: the connection is cut
  if (!call.sandbox.empty()) {
    refusal = reason_of(call, std::move(refusal));
    (void)co_await call.exchange->respond(sandbox_error(refusal, call.request()));
  } else {
    (void)co_await call.exchange->respond(error_response(refusal));
  }
}

Task<void> run_plain(Plain plain, Call call) {
  Answer<http::Response> answer = co_await plain(call);
  if (answer) {
    (void)co_await call.exchange->respond(std::move(*answer));
  } else {
    co_await refuse_with(std::move(call), std::move(answer).error());
  }
}

Task<void> run_streaming(Streaming streaming, Call call) {
  Answer<void> answer = co_await streaming(call);
  if (!answer) co_await refuse_with(std::move(call), std::move(answer).error());
}

// Looks for the sandbox first where the request is to one.
template <typename Endpoint>
Task<void> run(E2bPtr e2b, http::Exchange* exchange, bool in_sandbox, Endpoint endpoint) {
  Call call{.e2b = std::move(e2b), .exchange = exchange, .caller = caller_of(*exchange)};
  if (in_sandbox) {
    Answer<void> found = co_await find_sandbox(&call);
    if (!found) {
      (void)co_await exchange->respond(sandbox_error(found.error(), exchange->request()));
      co_return;
    }
  }
  if constexpr (std::is_same_v<Endpoint, Plain>) {
    co_await run_plain(endpoint, std::move(call));
  } else {
    co_await run_streaming(endpoint, std::move(call));
  }
}

}  // namespace

E2b::E2b(control::Control& plane, const E2bOptions& wishes)
    : control(plane), options(wishes), pool(1), watchers(wishes.common.executor) {}

http::Handler Routes::handler(Plain plain) const {
  return [e2b = e2b_, in_sandbox = in_sandbox_, plain](http::Exchange& exchange) {
    return run(e2b, &exchange, in_sandbox, plain);
  };
}

http::Handler Routes::handler(Streaming streaming) const {
  return [e2b = e2b_, in_sandbox = in_sandbox_, streaming](http::Exchange& exchange) {
    return run(e2b, &exchange, in_sandbox, streaming);
  };
}

void Routes::add(Method method, std::string_view path, std::string_view operation, Access access,
                 Plain plain) {
  router_.add(method, path, handler(plain), {.name = std::string(operation), .access = access});
}

void Routes::add(Method method, std::string_view path, std::string_view operation, Access access,
                 Streaming streaming) {
  router_.add(method, path, handler(streaming), {.name = std::string(operation), .access = access});
}

void Routes::add_any(std::string_view path, std::string_view operation, Access access,
                     Streaming streaming) {
  router_.add(http::kAny, path, handler(streaming),
              {.name = std::string(operation), .access = access});
}

Task<Answer<object>> read_object(Call call) {
  ATOLL_CO_TRY(std::string text,
               co_await call.exchange->read_body(call.e2b->options.common.body_bytes));
  if (text.empty()) co_return object();
  auto parsed = codec::parse(text, {.max_bytes = text.size() + 1, .max_depth = 32});
  if (!parsed) co_return std::unexpected<Refusal>(std::move(parsed).error());
  object* body = parsed->if_object();
  if (body == nullptr) co_return refuse(Code::kInvalidArgument, "the body must be a JSON object");
  co_return std::move(*body);
}

http::Response json_response(int status, const value& body) {
  http::Response response{.status = status};
  response.headers.add("Content-Type", "application/json");
  response.body = codec::serialize(body);
  return response;
}

http::Response no_content() { return {.status = 204}; }

int status_of(const Refusal& refusal) {
  if (refusal.status != 0) return refusal.status;
  int status = http::status_of(refusal.error.code());
  return status == 422 ? 400 : status;
}

std::string message_of(const Refusal& refusal) {
  std::string where = refusal.at && !refusal.at->empty() ? *refusal.at + " " : "";
  return to_utf8(where + refusal.error.message());
}

http::Response error_response(const Refusal& refusal) {
  int status = status_of(refusal);
  http::Response response =
      json_response(status, object{{"code", status}, {"message", message_of(refusal)}});
  if (status == 429 || status == 503) {
    response.headers.add("Retry-After", std::to_string(retry_after(refusal.error).count()));
  }
  return response;
}

Answer<std::optional<std::string>> text_member(const object& body, std::string_view name,
                                               std::size_t longest) {
  const value* found = member(body, name);
  if (found == nullptr) return std::nullopt;
  const boost::json::string* text = found->if_string();
  if (text == nullptr) return wrong(name, "must be a string");
  if (text->size() > longest) return wrong(name, "is too long");
  if (has_nul({text->data(), text->size()})) return wrong(name, "must not contain NUL");
  return text_of(*text);
}

Answer<std::optional<bool>> flag_member(const object& body, std::string_view name) {
  const value* found = member(body, name);
  if (found == nullptr) return std::nullopt;
  const bool* flag = found->if_bool();
  if (flag == nullptr) return wrong(name, "must be true or false");
  return *flag;
}

Answer<std::optional<std::uint64_t>> number_member(const object& body, std::string_view name,
                                                   std::uint64_t least, std::uint64_t most) {
  const value* found = member(body, name);
  if (found == nullptr) return std::nullopt;
  std::optional<std::uint64_t> number;
  if (const std::uint64_t* whole = found->if_uint64()) number = *whole;
  if (const std::int64_t* whole = found->if_int64(); whole != nullptr && *whole >= 0) {
    number = static_cast<std::uint64_t>(*whole);
  }
  if (const double* real = found->if_double()) {
    // Below 2^53 every whole number is exact, and the cast is defined.
    if (std::isfinite(*real) && *real >= 0 && *real <= 9007199254740992.0) {
      number = static_cast<std::uint64_t>(*real);
    }
  }
  if (!number || *number < least || *number > most) {
    return refuse(Code::kInvalidArgument, std::string(name) + " must be a number from " +
                                              std::to_string(least) + " to " +
                                              std::to_string(most));
  }
  return number;
}

Answer<StringMap> map_member(const object& body, std::string_view name) {
  StringMap map;
  const value* found = member(body, name);
  if (found == nullptr) return map;
  const object* members = found->if_object();
  if (members == nullptr) return wrong(name, "must be an object of strings");
  if (members->size() > kMaxEntries) return wrong(name, "has too many members");
  for (const auto& [key, one] : *members) {
    const boost::json::string* text = one.if_string();
    if (text == nullptr) return wrong(name, "must be an object of strings");
    if (key.empty() || key.size() > kMaxName || text->size() > kMaxValue) {
      return wrong(name, "has a name or a value that is empty or too long");
    }
    if (has_nul(key) || has_nul({text->data(), text->size()})) {
      return wrong(name, "must not contain NUL");
    }
    map[std::string(key)] = text_of(*text);
  }
  return map;
}

Answer<std::vector<std::string>> list_member(const object& body, std::string_view name) {
  std::vector<std::string> list;
  const value* found = member(body, name);
  if (found == nullptr) return list;
  const array* items = found->if_array();
  if (items == nullptr) return wrong(name, "must be a list of strings");
  if (items->size() > kMaxArguments) return wrong(name, "is too long");
  for (const value& one : *items) {
    const boost::json::string* text = one.if_string();
    if (text == nullptr) return wrong(name, "must be a list of strings");
    if (has_nul({text->data(), text->size()})) return wrong(name, "must not contain NUL");
    list.push_back(text_of(*text));
  }
  return list;
}

const object* object_member(const object& body, std::string_view name) {
  const value* found = body.if_contains(name);
  return found != nullptr ? found->if_object() : nullptr;
}

}  // namespace atl::api::e2b
