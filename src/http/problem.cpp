#include "http/problem.hpp"

#include <string>

#include <boost/json/object.hpp>

#include "base/utf8.hpp"
#include "codec/json.hpp"

namespace atl::http {

namespace {

Response document(int status, std::string_view code, std::string_view detail,
                  std::string_view request_id, std::optional<std::string_view> at) {
  boost::json::object body;
  body["type"] = "about:blank";
  body["title"] = std::string(status_text(status));
  body["status"] = status;
  body["code"] = std::string(code);
  body["detail"] = to_utf8(detail);
  if (!request_id.empty()) body["request_id"] = to_utf8(request_id);
  if (at) body["at"] = to_utf8(*at);
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/problem+json");
  if (status == 429 || status == 503) response.headers.add("Retry-After", "1");
  response.body = codec::serialize(body);
  return response;
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
  }
  return 500;
}

Response problem(const Error& error, std::string_view request_id,
                 std::optional<std::string_view> at) {
  return document(status_of(error.code()), code_name(error.code()), error.message(), request_id,
                  at);
}

Response problem(int status, std::string_view code, std::string_view detail,
                 std::string_view request_id) {
  return document(status, code, detail, request_id, std::nullopt);
}

}  // namespace atl::http
