// An execution: one run of code or of a command in a session.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/describe/enum.hpp>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "model/session.hpp"

namespace atl::model {

BOOST_DEFINE_ENUM_CLASS(ExecutionState, kQueued, kAwaitingApproval, kRunning, kCompleted, kFailed,
                        kTimedOut, kCancelled, kRejected)

constexpr bool is_final(ExecutionState state) {
  return state != ExecutionState::kQueued && state != ExecutionState::kAwaitingApproval &&
         state != ExecutionState::kRunning;
}

// More output than is held in memory, where it lies on the disk. From any thread; blocks.
class LargeOutput {
 public:
  enum class Part { kStdout, kStderr, kMerged };

  LargeOutput() = default;
  LargeOutput(const LargeOutput&) = delete;
  LargeOutput& operator=(const LargeOutput&) = delete;
  virtual ~LargeOutput() = default;
  virtual std::uint64_t size(Part part) const = 0;
  // `most` bytes from `offset`, fewer only at the end.
  virtual Result<std::string> read(Part part, std::uint64_t offset, std::size_t most) const = 0;
};

// What one execution printed. Exact bytes; the API makes text of them.
struct Output {
  std::string stdout_bytes;
  std::string stderr_bytes;
  std::string merged;                             // both, in order of arrival
  std::shared_ptr<const LargeOutput> large = {};  // if it is: then the others are empty
};

// Beyond this, both streams together, an output is a large one.
inline constexpr std::uint64_t kMaxOutputInMemory = 1u << 20;

struct ExecutionMetrics {
  std::uint64_t cpu_user_ms = 0;
  std::uint64_t cpu_system_ms = 0;
  std::uint64_t memory_peak_bytes = 0;
};

struct Execution {
  ExecutionId id;
  SessionId session_id;
  std::string tenant;
  ExecutionState state = ExecutionState::kQueued;
  std::string request_json;   // as control understood it: for listings, and for nothing else
  ContextId context_id;       // empty: a program of its own
  std::uint64_t exec_id = 0;  // the guest's number, to attach again
  std::optional<int> exit_code;
  bool truncated = false;
  std::string result_json;  // rich results of a context; empty: none
  std::string files_json;   // with track_files; empty: not asked for
  std::string error_code;
  std::string error_message;
  ExecutionMetrics metrics;
  Time created_at{};
  std::optional<Time> started_at;
  std::optional<Time> ended_at;
  std::uint64_t duration_ms = 0;
  Output output;  // only in answers that ask for it
};

}  // namespace atl::model
