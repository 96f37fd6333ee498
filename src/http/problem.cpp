#include "http/problem.hpp"

#include <cstdint>
#include <string>

#include <boost/json/object.hpp>

#include "base/code_from_name.hpp"
#include "base/quota.hpp"
#include "base/utf8.hpp"
#include "codec/json.hpp"

namespace atl::http {

namespace {

Response document(int status, std::string_view code, std::string_view detail,
                  std::string_view request_id, std::optional<std::string_view> at,
                  std::string_view quota = {},
                  std::chrono::seconds again = std::chrono::seconds(1)) {
  boost::json::object body;
  body["type"] = "about:blank";
  body["title"] = std::string(status_text(status));
  body["status"] = status;
  body["code"] = std::string(code);
  body["detail"] = to_utf8(detail);
  if (!request_id.empty()) body["request_id"] = to_utf8(request_id);
  if (at) body["at"] = to_utf8(*at);
  if (!quota.empty()) body["quota"] = to_utf8(quota);
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/problem+json");
  if (status == 429 || status == 503) {
    response.headers.add("Retry-After", std::to_string(again.count()));
  }
  response.body = codec::serialize(body);
  return response;
}

std::string member(const boost::json::object* fields, std::string_view name) {
  const boost::json::value* found = fields != nullptr ? fields->if_contains(name) : nullptr;
  const boost::json::string* text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? std::string(text->data(), text->size()) : std::string();
}

// For answers that do not say it themselves.
Code code_of(int status) {
  switch (status) {
    case 400:
    case 416: return Code::kInvalidArgument;
    case 422: return Code::kInvalidValue;
    case 401: return Code::kUnauthenticated;
    case 403: return Code::kForbidden;
    case 404: return Code::kNotFound;
    case 409: return Code::kConflict;
    case 413: return Code::kTooLarge;
    case 405:
    case 415: return Code::kUnsupported;
    case 429: return Code::kResourceExhausted;
    case 503: return Code::kNoAvailableRuntime;
    case 504: return Code::kTransferTimeout;
    case 507: return Code::kStorageFull;
    default: return Code::kBackend;
  }
}

}  // namespace

int status_of(Code code) {
  switch (code) {
    case Code::kOk: return 200;
    case Code::kInvalidArgument: return 400;
    case Code::kNotFound: return 404;
    case Code::kAlreadyExists: return 409;
    case Code::kForbidden: return 403;
    case Code::kUnauthenticated: return 401;
    case Code::kConflict: return 409;
    case Code::kTooLarge: return 413;
    case Code::kUnsupported: return 422;
    case Code::kPolicyUnsupported: return 422;
    case Code::kLimitUnenforceable: return 422;
    case Code::kResourceExhausted: return 429;
    case Code::kCancelled: return 409;
    case Code::kNotStarted: return 409;
    case Code::kSandboxDisabled: return 403;
    case Code::kExecutionFailed: return 422;
    case Code::kProgramNotFound: return 422;
    case Code::kProgramNotExecutable: return 422;
    case Code::kUnsupportedBackend: return 422;
    case Code::kUnsupportedLanguage: return 422;
    case Code::kHostUnsupported: return 503;
    case Code::kCreateTimeout: return 504;
    case Code::kExecTimeout: return 504;
    case Code::kTransferTimeout: return 504;
    case Code::kBackend: return 502;
    case Code::kSessionNotFound: return 404;
    case Code::kNoAvailableRuntime: return 503;
    case Code::kDangerousCommand: return 403;
    case Code::kServerRestarted: return 500;
    case Code::kProtocol: return 500;
    case Code::kIo: return 500;
    case Code::kInternal: return 500;
    case Code::kIdempotencyMismatch: return 422;
    case Code::kNoPackageIndex: return 422;
    case Code::kInvalidValue: return 422;
    case Code::kQuotaExceeded: return 429;
    case Code::kStorageFull: return 507;
  }
  return 500;
}

Response problem(const Error& error, std::string_view request_id,
                 std::optional<std::string_view> at) {
  return document(status_of(error.code()), code_name(error.code()), error.message(), request_id, at,
                  quota_of(error), retry_after(error));
}

Response problem(int status, std::string_view code, std::string_view detail,
                 std::string_view request_id) {
  return document(status, code, detail, request_id, std::nullopt);
}

Error error_from(int status, std::string_view body) {
  auto document = codec::parse(body);
  const boost::json::object* fields = document ? document->if_object() : nullptr;
  std::string code = member(fields, "code");
  std::string detail = member(fields, "detail");
  if (code.empty() || detail.empty()) {
    std::string answer = std::to_string(status) + " " + std::string(status_text(status));
    return {code_of(status), "the server answered " + answer};
  }
  if (std::string at = member(fields, "at"); !at.empty()) detail += " (at " + at + ")";
  Code known = code_from_name(code);
  bool foreign = code_name(known) != code;
  return foreign ? Error(code_of(status), code + ": " + detail) : Error(known, std::move(detail));
}

}  // namespace atl::http
