// Bodies about executions and contexts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>

#include "bodies/common.hpp"
#include "bodies/session.hpp"
#include "model/execution.hpp"

namespace atl::bodies {

struct ExecuteBody {
  std::optional<std::string> code;
  std::optional<std::string> language;
  std::optional<boost::json::value> command;  // a string for the shell, or a list
  std::optional<std::string> context;
  std::optional<std::string> cwd;
  std::optional<std::string> working_dir;  // the same
  std::optional<StringMap> env;
  std::optional<std::string> stdin_;  // NOLINT(readability-identifier-naming): stdin is a macro
  std::optional<std::string> stdin_b64;
  bool stdin_open = false;
  std::optional<double> timeout;
  std::optional<std::uint64_t> max_output_bytes;
  bool track_files = false;
};
BOOST_DESCRIBE_STRUCT(ExecuteBody, (),
                      (code, language, command, context, cwd, working_dir, env, stdin_, stdin_b64,
                       stdin_open, timeout, max_output_bytes, track_files))

// POST /execute: the path names no session.
struct ExecuteInSessionBody : ExecuteBody {
  std::optional<std::string> session_id;
};
BOOST_DESCRIBE_STRUCT(ExecuteInSessionBody, (ExecuteBody), (session_id))

// One shot: an execution and the session for it.
struct RunBody : ExecuteBody {
  std::optional<std::string> template_id;
  std::optional<ConfigBody> config;
  std::optional<StringMap> labels;
};
BOOST_DESCRIBE_STRUCT(RunBody, (ExecuteBody), (template_id, config, labels))

struct StdinBody {
  std::optional<std::string> data;
  std::optional<std::string> data_b64;
  bool close = false;
};
BOOST_DESCRIBE_STRUCT(StdinBody, (), (data, data_b64, close))

struct SignalBody {
  boost::json::value signal;  // 15, "TERM" or "SIGTERM"
};
BOOST_DESCRIBE_STRUCT(SignalBody, (), (signal))

// Why an execution failed; what code of a context raised has the last three.
struct ExecutionErrorBody {
  std::string code;
  std::string message;
  std::optional<std::string> ename;
  std::optional<std::string> evalue;
  std::optional<std::string> traceback;
};
BOOST_DESCRIBE_STRUCT(ExecutionErrorBody, (), (code, message, ename, evalue, traceback))

// The data of the event `result`, and one of a context's results.
struct ResultEventBody {
  bool is_result = false;
  boost::json::value data;  // from MIME type to content
};
BOOST_DESCRIBE_STRUCT(ResultEventBody, (), (is_result, data))

// The `result` of an execution in a context.
struct ContextResultBody {
  std::vector<ResultEventBody> results;
  std::int64_t execution_count = 0;
  bool restarted = false;
  std::optional<ExecutionErrorBody> error;  // what the code raised, without code and message
};
BOOST_DESCRIBE_STRUCT(ContextResultBody, (), (results, execution_count, restarted, error))

struct MetricsBody {
  std::uint64_t cpu_user_ms = 0;
  std::uint64_t cpu_system_ms = 0;
  std::uint64_t memory_peak_bytes = 0;
};
BOOST_DESCRIBE_STRUCT(MetricsBody, (), (cpu_user_ms, cpu_system_ms, memory_peak_bytes))

struct ExecutionBody {
  std::string session_id;
  std::string execution_id;
  model::ExecutionState state = model::ExecutionState::kQueued;
  Nullable<int> exit_code;
  std::optional<std::string> stdout_;     // NOLINT(readability-identifier-naming): a macro
  std::optional<std::string> stdout_b64;  // the exact bytes, where the text had to be changed
  std::optional<std::string> stderr_;     // NOLINT(readability-identifier-naming): a macro
  std::optional<std::string> stderr_b64;
  std::optional<std::string> output;  // both, in order of arrival
  boost::json::value result;          // of a context: a ContextResultBody
  bool success = false;
  Nullable<ExecutionErrorBody> error;
  MetricsBody metrics;
  std::uint64_t duration_ms = 0;
  bool timed_out = false;
  bool truncated = false;
  std::optional<boost::json::value> files;  // with track_files
  Nullable<std::string> context;
  boost::json::value request;
  std::string created_at;
  Nullable<std::string> started_at;
  Nullable<std::string> ended_at;
};
BOOST_DESCRIBE_STRUCT(ExecutionBody, (),
                      (session_id, execution_id, state, exit_code, stdout_, stdout_b64, stderr_,
                       stderr_b64, output, result, success, error, metrics, duration_ms, timed_out,
                       truncated, files, context, request, created_at, started_at, ended_at))

struct ExecutionListBody {
  std::vector<ExecutionBody> results;
  Nullable<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(ExecutionListBody, (), (results, next_cursor))

// The data of a stream's first event.
struct ExecutionStartBody {
  std::string session_id;
  std::string execution_id;
  model::ExecutionState state = model::ExecutionState::kQueued;
};
BOOST_DESCRIBE_STRUCT(ExecutionStartBody, (), (session_id, execution_id, state))

// The data of the events `stdout` and `stderr`.
struct OutputEventBody {
  std::string text;
  std::optional<std::string> b64;  // the exact bytes, where the text had to be changed
};
BOOST_DESCRIBE_STRUCT(OutputEventBody, (), (text, b64))

struct OpenContextBody {
  std::optional<std::string> language;
  std::optional<std::string> cwd;
  std::optional<std::string> working_dir;
  std::optional<StringMap> env;
};
BOOST_DESCRIBE_STRUCT(OpenContextBody, (), (language, cwd, working_dir, env))

struct ContextBody {
  std::string id;
  std::string session_id;
  std::string language;
  std::string cwd;
  std::string version;
  bool is_default = false;
  bool running = false;
  std::uint64_t waiting = 0;
};
BOOST_DESCRIBE_STRUCT(ContextBody, (),
                      (id, session_id, language, cwd, version, is_default, running, waiting))

struct ContextListBody {
  std::vector<ContextBody> contexts;
};
BOOST_DESCRIBE_STRUCT(ContextListBody, (), (contexts))

}  // namespace atl::bodies
