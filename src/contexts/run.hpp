// One run of code in a context: what is asked, what happens on the way, and what came of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "contexts/json_object.hpp"

namespace atl::contexts {

// A MIME bundle: from type to content, a JSON string for text and base64 for pictures. It always
// has text/plain.
using Bundle = JsonObject;

struct CodeError {
  std::string ename;
  std::string evalue;
  std::string traceback;
};

enum class EventKind { kStdout, kStderr, kResult, kDisplay, kError };

struct RunEvent {
  EventKind kind = EventKind::kStdout;
  std::string bytes;  // kStdout, kStderr
  Bundle bundle;      // kResult, kDisplay
  CodeError error;    // kError
};

// Events are handed over one after the other; code that goes on printing waits until this returns.
// After an Error nothing more is handed over and the run goes on.
using OnEvent = std::function<async::Task<Result<void>>(const RunEvent* event)>;

// Where a run is, for whoever wants to end this one and no other.
struct RunPlace {
  bool given_up = false;  // it shall not begin any more
  bool begun = false;
  bool over = false;
};

struct RunRequest {
  std::string code;
  std::chrono::milliseconds timeout{0};  // 0: none. Counts from the start, not from the queue.
  // Kept of each stream; events have no cap. 0: none is kept, and none is missing.
  std::uint64_t max_output_bytes = 10ull << 20;
  OnEvent on_event;
  std::shared_ptr<RunPlace> place = std::make_shared<RunPlace>();
};

// Why an interpreter ended without being asked to.
struct Crash {
  std::string cause;  // a sentence
  int exit_code = 0;  // 128 + signal when a signal ended it
  int signal = 0;
  bool oom = false;
};

struct Shown {
  bool is_result = false;  // the value of the last expression; otherwise shown on the way
  Bundle bundle;
};

// By the interpreter and the programs that it waited for. While it lives it tells this itself, so
// code can lie about it; of one that ended the guest tells.
struct RunUsage {
  std::chrono::microseconds cpu_user{0};
  std::chrono::microseconds cpu_system{0};
  std::uint64_t memory_peak_bytes = 0;  // of the interpreter so far, not of the run alone
};

struct RunResult {
  std::string stdout_bytes;
  std::string stderr_bytes;
  std::string output;        // both, in order of arrival
  std::vector<Shown> shown;  // results and displays, in order
  std::optional<CodeError> error;
  int exit_code = 0;
  std::int64_t execution_count = 0;
  bool timed_out = false;
  bool interrupted = false;
  bool truncated = false;        // more came than is kept
  std::optional<Crash> crashed;  // the interpreter ended in this run
  std::optional<Crash> lost;     // it had ended before, while nothing ran: this run began afresh
  bool restarted = false;        // either of them: what earlier runs left is gone
  std::chrono::microseconds duration{0};
  RunUsage usage;
};

}  // namespace atl::contexts
