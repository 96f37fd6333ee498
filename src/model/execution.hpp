// An execution: one run of code or of a command in a session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/enum.hpp>

#include "base/ids.hpp"
#include "model/session.hpp"

namespace atl::model {

BOOST_DEFINE_ENUM_CLASS(ExecutionState, kQueued, kAwaitingApproval, kRunning, kCompleted, kFailed,
                        kTimedOut, kCancelled, kRejected)

constexpr bool is_final(ExecutionState state) {
  return state != ExecutionState::kQueued && state != ExecutionState::kAwaitingApproval &&
         state != ExecutionState::kRunning;
}

// What one execution printed. Exact bytes; the API makes text of them.
struct Output {
  std::string stdout_bytes;
  std::string stderr_bytes;
  std::string merged;  // both, in order of arrival
};

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
