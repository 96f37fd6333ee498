// What went wrong, as a value: a closed code, one sentence for the caller, the errno behind it and
// the steps that led there. No secrets and no host paths belong in here: clients see it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atl {

// Closed set: api and cli map each one in a switch without default. The numbers travel in the guest
// protocol, so a new code goes to the end.
enum class Code : std::uint16_t {
  kOk = 0,
  kInvalidArgument,
  kNotFound,
  kAlreadyExists,
  kForbidden,
  kUnauthenticated,
  kConflict,
  kTooLarge,
  kUnsupported,
  kPolicyUnsupported,
  kLimitUnenforceable,
  kResourceExhausted,
  kCancelled,
  kNotStarted,
  kSandboxDisabled,
  kExecutionFailed,
  kProgramNotFound,
  kProgramNotExecutable,
  kUnsupportedBackend,
  kUnsupportedLanguage,
  kHostUnsupported,
  kCreateTimeout,
  kExecTimeout,
  kTransferTimeout,
  kBackend,
  kSessionNotFound,
  kNoAvailableRuntime,
  kDangerousCommand,
  kServerRestarted,
  kProtocol,
  kIo,
  kInternal,
  kIdempotencyMismatch,
  kNoPackageIndex,
  kInvalidValue,
  kQuotaExceeded,
  kStorageFull,
};

// The stable name that users see: "not_found", "create_timeout", …
std::string_view code_name(Code code);

// A code that came over a wire; anything unknown becomes kProtocol.
Code code_from_number(std::uint16_t number);

class [[nodiscard]] Error {
 public:
  Error(Code code, std::string message, int errno_value = 0)
      : code_(code), errno_(errno_value), message_(std::move(message)) {}

  Code code() const { return code_; }
  int errno_value() const { return errno_; }
  const std::string& message() const { return message_; }
  const std::vector<std::string>& trail() const { return trail_; }

  // Adds what was being attempted, innermost first.
  Error&& at(std::string step) && {
    trail_.push_back(std::move(step));
    return std::move(*this);
  }

  // "not_found: no such file (ENOENT) [open, read template]", for logs and terminals.
  std::string to_string() const;

 private:
  Code code_;
  int errno_;
  std::string message_;
  std::vector<std::string> trail_;
};

// The Code that fits an errno best; kIo when nothing closer exists.
Code code_from_errno(int errno_value);

}  // namespace atl
