// Starting processes, and following one that runs: process.Process/Start and Connect.
#include "api/e2b/process.hpp"

#include <algorithm>
#include <utility>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/e2b/paths.hpp"
#include "api/e2b/rpc.hpp"
#include "base/code_from_name.hpp"
#include "codec/base64.hpp"
#include "control/execution_feed.hpp"

namespace atl::api::e2b {

namespace {

using control::ExecutionFeed;
using control::SpoolEvent;
using control::SpoolKind;

constexpr std::uint64_t kFromNow = UINT64_MAX;

object event_of(std::string_view name, object content) {
  object event;
  event[name] = std::move(content);
  return {{"event", std::move(event)}};
}

object data_event(std::string_view stream, std::string_view bytes) {
  object data;
  data[stream] = codec::base64(bytes);
  return event_of("data", std::move(data));
}

object end_event(const model::Execution& row) {
  int code = row.exit_code.value_or(1);
  std::string status = "exit status " + std::to_string(code);
  object end{{"exitCode", code}, {"exited", true}, {"status", status}};
  if (code != 0) {
    end["error"] = row.error_message.empty() ? value(status) : value(json_text(row.error_message));
  }
  return event_of("end", std::move(end));
}

// How it ended, if that is no exit.
Answer<void> check_end(const model::Execution& row) {
  using State = model::ExecutionState;
  if (row.state == State::kTimedOut) {
    return refuse(Code::kExecTimeout,
                  "the process ran longer than Connect-Timeout-Ms and was killed");
  }
  if (row.exit_code) return {};
  if (row.state == State::kCancelled) return refuse(Code::kBackend, "the process was cancelled");
  Code code = code_from_name(row.error_code);
  bool absent = code == Code::kNotFound || code == Code::kOk;
  return refuse(absent ? Code::kInvalidArgument : code,
                row.error_message.empty() ? "the process did not start" : row.error_message);
}

Task<Answer<void>> send_kept(Call call, const model::Execution* row, bool terminal,
                             StreamOut* out) {
  using Part = model::LargeOutput::Part;
  const model::Output& output = row->output;
  for (bool is_stdout : {true, false}) {
    std::string_view name = terminal ? "pty" : is_stdout ? "stdout" : "stderr";
    for (std::uint64_t at = 0;;) {
      std::string bytes;
      if (output.large) {
        Part part = is_stdout ? Part::kStdout : Part::kStderr;
        auto read = co_await async::on_pool(call.e2b->pool,
                                            [&] { return output.large->read(part, at, kChunk); });
        if (!read) co_return std::unexpected<Refusal>(read.error());
        bytes = std::move(*read);
      } else {
        const std::string& all = is_stdout ? output.stdout_bytes : output.stderr_bytes;
        if (at < all.size()) bytes = all.substr(at, kChunk);
      }
      if (bytes.empty()) break;
      at += bytes.size();
      if (!co_await out->send(data_event(name, bytes))) co_return Answer<void>();
    }
  }
  co_return Answer<void>();
}

// Until its end, the deadline of the stream, or a client that is gone.
Task<Answer<bool>> send_live(Call call, ExecutionFeed* feed, bool terminal,
                             std::optional<std::chrono::milliseconds> limit, StreamOut* out) {
  StreamClock clock(call, limit);
  for (;;) {
    auto event = co_await async::with_deadline(feed->next(), clock.next(), Code::kTransferTimeout,
                                               "nothing to say");
    if (event && !*event) co_return true;
    if (event) {
      const SpoolEvent& one = ***event;
      bool is_stdout = one.kind == SpoolKind::kStdout;
      if (!is_stdout && one.kind != SpoolKind::kStderr) continue;
      std::string_view name = terminal ? "pty" : is_stdout ? "stdout" : "stderr";
      if (!co_await out->send(data_event(name, one.data))) co_return false;
      clock.said_something();
      continue;
    }
    switch (clock.beat()) {
      case StreamClock::Beat::kNothing: break;
      case StreamClock::Beat::kKeepAlive:
        if (!co_await out->send(event_of("keepalive", {}))) co_return false;
        break;
      case StreamClock::Beat::kTimeUp:
        co_return refuse(Code::kExecTimeout,
                         "the time of this connection is up; the process runs on");
      case StreamClock::Beat::kDraining:
        co_return refuse(Code::kNoAvailableRuntime, "the server is stopping; connect again");
    }
  }
}

Answer<std::vector<std::string>> command_of(const object& process) {
  ATOLL_TRY(std::optional<std::string> cmd, text_member(process, "cmd", kMaxCommand));
  if (!cmd || cmd->empty()) return refuse(Code::kInvalidArgument, "process.cmd is required");
  ATOLL_TRY(std::vector<std::string> argv, list_member(process, "args"));
  argv.insert(argv.begin(), std::move(*cmd));
  return argv;
}

Answer<control::ExecuteRequest> to_request(const Call& call, const object& message) {
  ATOLL_CHECK(check_user(call.request()));
  const object* process = object_member(message, "process");
  if (process == nullptr) return refuse(Code::kInvalidArgument, "process is required");
  control::ExecuteRequest request;
  ATOLL_TRY(request.argv, command_of(*process));
  ATOLL_TRY(request.env, map_member(*process, "envs"));
  ATOLL_TRY(std::optional<std::string> cwd, text_member(*process, "cwd", kMaxPath));
  if (cwd && !cwd->empty()) request.cwd = client_path(*cwd).inside;
  if (request.cwd == kWorkspace) request.cwd.clear();
  ATOLL_TRY(std::optional<std::string> tag, text_member(message, "tag", kMaxName));
  request.label = std::move(tag).value_or("");
  ATOLL_TRY(request.terminal, size_of(message));
  // Clients that do not say it are old ones, which always had a stdin.
  ATOLL_TRY(std::optional<bool> input, flag_member(message, "stdin"));
  request.stdin_open = input.value_or(true);
  ATOLL_TRY(std::optional<std::chrono::milliseconds> time, timeout_of(call.request()));
  std::chrono::seconds longest = call.control().executions().limits().longest_time;
  bool limited = time && *time < longest;
  request.timeout = limited ? std::chrono::duration<double>(*time).count() : 0;
  return request;
}

Task<Answer<void>> start(Call call, object message, StreamOut* out) {
  ATOLL_CO_TRY(control::ExecuteRequest request, to_request(call, message));
  bool terminal = request.terminal.has_value();
  control::Executions& executions = call.control().executions();
  ATOLL_CO_TRY(ExecutionId id,
               co_await executions.begin(call.caller, call.sandbox, std::move(request)));
  ATOLL_CO_TRY(std::unique_ptr<ExecutionFeed> feed, co_await executions.follow(call.caller, id, 0));
  ATOLL_CO_TRY(std::optional<int> pid, co_await executions.pid_of(call.caller, id));
  if (!pid) {
    ATOLL_CO_TRY(model::Execution row, co_await executions.get(call.caller, id));
    ATOLL_CO_CHECK(check_end(row));
    co_return refuse(Code::kBackend, "the process ended before its pid was known");
  }
  if (!co_await out->send(event_of("start", {{"pid", *pid}}))) co_return Answer<void>();
  ATOLL_CO_TRY(bool ended, co_await send_live(call, feed.get(), terminal, std::nullopt, out));
  if (!ended) co_return Answer<void>();
  ATOLL_CO_CHECK(check_end(feed->row()));
  (void)co_await out->send(end_event(feed->row()));
  co_return Answer<void>();
}

// What it prints from now on; of one that has ended, what is kept of its output.
Task<Answer<void>> connect(Call call, object message, StreamOut* out) {
  ATOLL_CO_TRY(Selected process, co_await select_process(call, &message));
  ATOLL_CO_TRY(std::optional<std::chrono::milliseconds> limit, timeout_of(call.request()));
  control::Executions& executions = call.control().executions();
  ATOLL_CO_TRY(std::unique_ptr<ExecutionFeed> feed,
               co_await executions.follow(call.caller, process.id, kFromNow));
  if (!co_await out->send(event_of("start", {{"pid", process.pid}}))) co_return Answer<void>();
  if (feed->live()) {
    ATOLL_CO_TRY(bool ended, co_await send_live(call, feed.get(), process.terminal, limit, out));
    if (!ended) co_return Answer<void>();
  } else {
    ATOLL_CO_CHECK(co_await send_kept(call, &feed->row(), process.terminal, out));
  }
  ATOLL_CO_CHECK(check_end(feed->row()));
  (void)co_await out->send(end_event(feed->row()));
  co_return Answer<void>();
}

Task<Answer<object>> list(Call call, object) {
  ATOLL_CO_TRY(std::vector<control::RunningProgram> running,
               co_await call.control().executions().programs(call.caller, call.sandbox));
  array processes;
  for (control::RunningProgram& one : running) {
    array args;
    for (std::size_t i = 1; i < one.program.argv.size(); ++i) {
      args.push_back(value(json_text(one.program.argv[i])));
    }
    object envs;
    for (const auto& [name, text] : one.program.env) envs[json_text(name)] = json_text(text);
    object config{{"cmd", json_text(one.program.argv.front())},
                  {"args", std::move(args)},
                  {"envs", std::move(envs)}};
    if (!one.program.cwd.empty()) config["cwd"] = json_text(one.program.cwd);
    object info{{"config", std::move(config)}, {"pid", one.pid}};
    if (!one.program.label.empty()) info["tag"] = json_text(one.program.label);
    processes.push_back(std::move(info));
  }
  co_return object{{"processes", std::move(processes)}};
}

}  // namespace

Answer<std::optional<control::TerminalSize>> size_of(const object& message) {
  const object* pty = object_member(message, "pty");
  if (pty == nullptr) return std::nullopt;
  control::TerminalSize size;
  const object* given = object_member(*pty, "size");
  if (given == nullptr) return size;
  ATOLL_TRY(std::optional<std::uint64_t> rows, number_member(*given, "rows", 1, UINT16_MAX));
  ATOLL_TRY(std::optional<std::uint64_t> cols, number_member(*given, "cols", 1, UINT16_MAX));
  size.rows = static_cast<std::uint16_t>(rows.value_or(size.rows));
  size.cols = static_cast<std::uint16_t>(cols.value_or(size.cols));
  return size;
}

Task<Answer<Selected>> select_process(Call call, const object* message) {
  const object* selector = object_member(*message, "process");
  if (selector == nullptr) co_return refuse(Code::kInvalidArgument, "process is required");
  ATOLL_CO_TRY(std::optional<std::uint64_t> pid, number_member(*selector, "pid", 0, INT32_MAX));
  ATOLL_CO_TRY(std::optional<std::string> tag, text_member(*selector, "tag", kMaxName));
  if (!pid && !tag) co_return refuse(Code::kInvalidArgument, "process needs a pid or a tag");
  ATOLL_CO_TRY(std::vector<control::RunningProgram> running,
               co_await call.control().executions().programs(call.caller, call.sandbox));
  for (const control::RunningProgram& one : running) {
    bool same = pid ? static_cast<std::uint64_t>(one.pid) == *pid
                    : !tag->empty() && one.program.label == *tag;
    if (same) co_return Selected{one.id, one.pid, true, one.program.terminal};
  }
  if (!pid) co_return refuse(Code::kNotFound, "process with tag " + *tag + " not found");
  ATOLL_CO_TRY(ExecutionId id, co_await call.control().executions().of_process(
                                   call.caller, call.sandbox, static_cast<int>(*pid)));
  co_return Selected{std::move(id), static_cast<int>(*pid), false, false};
}

void add_process(Routes& routes) {
  const std::string service = "/process.Process/";
  routes.add(Method::kPost, service + "Start", "e2bProcessStart", Access::kWriter,
             stream<kStartRequest, kProcessStream, start>);
  routes.add(Method::kPost, service + "Connect", "e2bProcessConnect", Access::kWriter,
             stream<kSelectRequest, kProcessStream, connect>);
  routes.add(Method::kPost, service + "List", "e2bProcessList", Access::kReader,
             unary<kEmptyMessage, kProcessListResponse, list>);
}

}  // namespace atl::api::e2b
