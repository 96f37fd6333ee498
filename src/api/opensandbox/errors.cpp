#include "api/opensandbox/errors.hpp"

#include <string>

#include <boost/json/object.hpp>

#include "api/common/middleware.hpp"
#include "base/quota.hpp"
#include "codec/json.hpp"
#include "http/problem.hpp"

namespace atl::api::opensandbox {

namespace {

constexpr std::string_view kProxy = "/sandboxes/";

int status_for(const Refusal& refusal) {
  if (refusal.status != 0) return refusal.status;
  switch (refusal.error.code()) {
    case Code::kInvalidValue:
    case Code::kPolicyUnsupported:
    case Code::kLimitUnenforceable:
    case Code::kUnsupportedLanguage: return 400;
    case Code::kUnsupported: return 501;
    default: return http::status_of(refusal.error.code());
  }
}

std::string_view lifecycle_code(const Refusal& refusal, const http::Request& request) {
  bool snapshot = request.path.starts_with("/v1/snapshots");
  switch (status_for(refusal)) {
    case 400:
    case 415:
    case 422:
      return refusal.error.code() == Code::kPolicyUnsupported ? "SANDBOX::POLICY_UNSUPPORTED"
                                                              : "SANDBOX::INVALID_PARAMETER";
    case 401: return shown_key(request) ? "INVALID_API_KEY" : "MISSING_API_KEY";
    case 403: return "FORBIDDEN";
    case 404: return snapshot ? "SNAPSHOT::NOT_FOUND" : "SANDBOX::NOT_FOUND";
    case 405: return "METHOD_NOT_ALLOWED";
    case 409: return "SANDBOX::INVALID_STATE";
    case 413: return "REQUEST_TOO_LARGE";
    case 429: return "SANDBOX::RESOURCE_EXHAUSTED";
    case 501: return "NOT_SUPPORTED";
    case 503: return "SANDBOX::NO_RUNTIME";
    default: return "GENERAL::UNKNOWN_ERROR";
  }
}

std::string_view execd_code(const Refusal& refusal, const http::Request& request) {
  bool of_context = request.path.find("/code") != std::string::npos ||
                    request.path.find("/session") != std::string::npos;
  switch (status_for(refusal)) {
    case 400:
    case 415:
    case 422: return refusal.code.empty() ? "INVALID_REQUEST_BODY" : "MISSING_QUERY";
    case 401: return "UNAUTHORIZED";
    case 403: return "FORBIDDEN";
    case 404:
      if (refusal.error.code() == Code::kSessionNotFound) return "SANDBOX_NOT_FOUND";
      if (request.path.find("/files") != std::string::npos ||
          request.path.find("/directories") != std::string::npos) {
        return "FILE_NOT_FOUND";
      }
      return of_context ? "CONTEXT_NOT_FOUND" : "NOT_FOUND";
    case 501: return "NOT_SUPPORTED";
    default: return "RUNTIME_ERROR";
  }
}

}  // namespace

Plane plane_of(std::string_view path) {
  if (!path.starts_with(kProxy)) return Plane::kLifecycle;
  std::size_t port = path.find("/proxy/", kProxy.size());
  if (port == path.npos) return Plane::kLifecycle;
  path.remove_prefix(port + 7);
  std::string_view digits = path.substr(0, path.find('/'));
  if (digits == std::to_string(kEgressPort)) return Plane::kEgress;
  return digits == std::to_string(kExecdPort) ? Plane::kExecd : Plane::kLifecycle;
}

http::Response render(const Refusal& refusal, const http::Request& request) {
  http::Response response{.status = status_for(refusal)};
  std::string message = refusal.error.message();
  if (refusal.at && !refusal.at->empty()) message.insert(0, *refusal.at + " ");
  if (message.empty()) message = http::status_text(response.status);
  if (response.status == 429 || response.status == 503) {
    response.headers.add("Retry-After", std::to_string(retry_after(refusal.error).count()));
  }
  Plane plane = plane_of(request.path);
  if (plane == Plane::kEgress) {
    response.headers.add("Content-Type", "text/plain; charset=utf-8");
    response.body = message + "\n";
    return response;
  }
  std::string_view code =
      plane == Plane::kExecd ? execd_code(refusal, request) : lifecycle_code(refusal, request);
  boost::json::object body{{"code", code}, {"message", message}};
  // Theirs says only this, ours both.
  if (plane == Plane::kExecd && response.status == 401) body["error"] = "Unauthorized: " + message;
  response.headers.add("Content-Type", "application/json");
  response.body = codec::serialize(body);
  return response;
}

}  // namespace atl::api::opensandbox
