#include "cli/core/exit_status.hpp"

namespace atl::cli {

int exit_status_of(Code code) {
  switch (code) {
    case Code::kOk: return 0;
    case Code::kProgramNotFound: return kExitNotFound;
    case Code::kProgramNotExecutable: return kExitNotExecutable;
    case Code::kExecTimeout: return kExitTimeout;
    case Code::kInvalidArgument:
    case Code::kInvalidValue:
    case Code::kQuotaExceeded:
    case Code::kStorageFull:
    case Code::kNotFound:
    case Code::kAlreadyExists:
    case Code::kForbidden:
    case Code::kUnauthenticated:
    case Code::kConflict:
    case Code::kTooLarge:
    case Code::kUnsupported:
    case Code::kPolicyUnsupported:
    case Code::kLimitUnenforceable:
    case Code::kResourceExhausted:
    case Code::kCancelled:
    case Code::kNotStarted:
    case Code::kSandboxDisabled:
    case Code::kExecutionFailed:
    case Code::kUnsupportedBackend:
    case Code::kUnsupportedLanguage:
    case Code::kHostUnsupported:
    case Code::kCreateTimeout:
    case Code::kTransferTimeout:
    case Code::kBackend:
    case Code::kSessionNotFound:
    case Code::kNoAvailableRuntime:
    case Code::kDangerousCommand:
    case Code::kServerRestarted:
    case Code::kIdempotencyMismatch:
    case Code::kNoPackageIndex:
    case Code::kProtocol:
    case Code::kIo:
    case Code::kInternal: return kExitAtoll;
  }
  return kExitAtoll;
}

int exit_status_of(const sandbox::ExitStatus& status) {
  if (status.timed_out) return kExitTimeout;
  // A program that survives the loss of a child to the OOM killer keeps its own status.
  if (status.oom && status.signal != 0) return kExitOom;
  return status.exit_code;
}

}  // namespace atl::cli
