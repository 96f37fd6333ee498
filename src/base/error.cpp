#include "base/error.hpp"

#include <cerrno>
#include <cstring>

#include "base/result.hpp"

namespace atl {

std::string_view code_name(Code code) {
  switch (code) {
    case Code::kOk: return "ok";
    case Code::kInvalidArgument: return "invalid_argument";
    case Code::kNotFound: return "not_found";
    case Code::kAlreadyExists: return "already_exists";
    case Code::kForbidden: return "forbidden";
    case Code::kUnauthenticated: return "unauthenticated";
    case Code::kConflict: return "conflict";
    case Code::kTooLarge: return "too_large";
    case Code::kUnsupported: return "unsupported";
    case Code::kPolicyUnsupported: return "policy_unsupported";
    case Code::kLimitUnenforceable: return "limit_unenforceable";
    case Code::kResourceExhausted: return "resource_exhausted";
    case Code::kCancelled: return "cancelled";
    case Code::kNotStarted: return "sandbox_not_started";
    case Code::kSandboxDisabled: return "sandbox_disabled";
    case Code::kExecutionFailed: return "execution_failed";
    case Code::kProgramNotFound: return "program_not_found";
    case Code::kProgramNotExecutable: return "program_not_executable";
    case Code::kUnsupportedBackend: return "unsupported_backend";
    case Code::kUnsupportedLanguage: return "unsupported_language";
    case Code::kHostUnsupported: return "host_unsupported";
    case Code::kCreateTimeout: return "create_timeout";
    case Code::kExecTimeout: return "exec_timeout";
    case Code::kTransferTimeout: return "transfer_timeout";
    case Code::kBackend: return "backend_error";
    case Code::kSessionNotFound: return "session_not_found";
    case Code::kNoAvailableRuntime: return "no_available_runtime";
    case Code::kDangerousCommand: return "dangerous_command";
    case Code::kServerRestarted: return "server_restarted";
    case Code::kProtocol: return "protocol_error";
    case Code::kIo: return "io_error";
    case Code::kInternal: return "internal";
    case Code::kIdempotencyMismatch: return "idempotency_mismatch";
    case Code::kNoPackageIndex: return "no_package_index";
    case Code::kInvalidValue: return "invalid_value";
    case Code::kQuotaExceeded: return "quota_exceeded";
    case Code::kStorageFull: return "storage_full";
  }
  return "internal";
}

Code code_from_number(std::uint16_t number) {
  if (number > static_cast<std::uint16_t>(Code::kStorageFull)) return Code::kProtocol;
  return static_cast<Code>(number);
}

Code code_from_errno(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ESRCH: return Code::kNotFound;
    case EEXIST:
    case ENOTEMPTY: return Code::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS: return Code::kForbidden;
    case EINVAL:
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP: return Code::kInvalidArgument;
    case ENOSPC:
    case EDQUOT:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case EAGAIN: return Code::kResourceExhausted;
    case EFBIG:
    case E2BIG: return Code::kTooLarge;
    case ENOSYS:
    case EOPNOTSUPP: return Code::kUnsupported;
    default: return Code::kIo;
  }
}

std::string Error::to_string() const {
  std::string text(code_name(code_));
  text += ": ";
  text += message_;
  if (errno_ != 0) {
    text += " (";
    text += std::strerror(errno_);
    text += ')';
  }
  for (std::size_t i = 0; i < trail_.size(); ++i) {
    text += i == 0 ? " [" : ", ";
    text += trail_[i];
  }
  if (!trail_.empty()) text += ']';
  return text;
}

std::unexpected<Error> fail_errno(const char* what, int errno_value) {
  std::string message = std::string(what) + " failed: " + std::strerror(errno_value);
  return std::unexpected<Error>(
      Error(code_from_errno(errno_value), std::move(message), errno_value));
}

}  // namespace atl

template class std::expected<void, atl::Error>;
