// How an execution is carried out: as a program of its own, or by the interpreter of a context.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>

#include "base/fault.hpp"
#include "codec/json.hpp"
#include "control/executions.hpp"
#include "control/session_environment.hpp"
#include "drivers/languages.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::control {

using async::Task;
using model::ExecutionEvent;

namespace {

// Longer code does not fit into one argument of a program.
constexpr std::size_t kInlineCode = 96 * 1024;

// The command line of code, which is put into a file where it must be. `folder` is then where that
// is, and what a compiler makes of it.
Task<Result<std::vector<std::string>>> command_of(std::shared_ptr<sandbox::Sandbox> sandbox,
                                                  ExecuteRequest* request, std::string id,
                                                  std::string* folder) {
  ATOLL_CO_TRY(const drivers::Language* language, drivers::find_language(request->language));
  if (drivers::runs_inline(*language) && request->code->size() <= kInlineCode) {
    co_return drivers::inline_command(*language, std::move(*request->code), {});
  }
  *folder = "/tmp/atoll-" + id;
  std::string file = *folder + "/" + std::string(language->file_name);
  ATOLL_CO_CHECK(co_await sandbox->make_dir(*folder, 0755, true));
  ATOLL_CO_CHECK(co_await sandbox->put_text(file, std::move(*request->code)));
  co_return drivers::file_command(*language, file, {});
}

// What a shell says of a program that it cannot start; nullopt of other failures.
std::optional<int> exit_code_of(const Error& not_started) {
  if (not_started.code() == Code::kProgramNotFound) return 127;
  if (not_started.code() == Code::kProgramNotExecutable) return 126;
  return std::nullopt;
}

model::ExecutionMetrics metrics_of(std::chrono::microseconds user, std::chrono::microseconds system,
                                   std::uint64_t memory) {
  return {.cpu_user_ms = static_cast<std::uint64_t>(user.count() / 1000),
          .cpu_system_ms = static_cast<std::uint64_t>(system.count() / 1000),
          .memory_peak_bytes = memory};
}

std::string error_json(const contexts::CodeError& error) {
  return codec::serialize(boost::json::object{
      {"ename", error.ename}, {"evalue", error.evalue}, {"traceback", error.traceback}});
}

SpoolKind kind_of(contexts::EventKind kind) {
  switch (kind) {
    case contexts::EventKind::kStdout: return SpoolKind::kStdout;
    case contexts::EventKind::kStderr: return SpoolKind::kStderr;
    case contexts::EventKind::kResult: return SpoolKind::kResult;
    case contexts::EventKind::kDisplay: return SpoolKind::kDisplay;
    case contexts::EventKind::kError: return SpoolKind::kError;
  }
  return SpoolKind::kStdout;
}

Task<Result<void>> keep_event(std::shared_ptr<Spool> spool, const contexts::RunEvent* event) {
  SpoolKind kind = kind_of(event->kind);
  std::string data = event->bytes;
  if (kind == SpoolKind::kResult || kind == SpoolKind::kDisplay) {
    data = std::string(event->bundle.text());
  } else if (kind == SpoolKind::kError) {
    data = error_json(event->error);
  }
  co_await spool->put(kind, std::move(data));
  co_return Result<void>();
}

// Bundles stay the text that they are: as a tree they would be twenty times their size.
std::string result_json(const contexts::RunResult& result) {
  std::string shown;
  for (const contexts::Shown& one : result.shown) {
    if (!shown.empty()) shown += ',';
    shown += one.is_result ? R"({"is_result":true,"data":)" : R"({"is_result":false,"data":)";
    shown += one.bundle.text();
    shown += '}';
  }
  return R"({"results":[)" + shown + R"(],"error":)" +
         (result.error ? error_json(*result.error) : "null") + R"(,"execution_count":)" +
         std::to_string(result.execution_count) + R"(,"restarted":)" +
         (result.restarted ? "true" : "false") + "}";
}

}  // namespace

std::chrono::milliseconds Executions::time_of(const ExecuteRequest& request) const {
  if (!request.timeout) return request.code ? limits_.code_time : limits_.command_time;
  if (*request.timeout == 0) return limits_.longest_time;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(*request.timeout * 1000)));
}

// Bounded: who looks for a process that ended long ago does not find it.
void Executions::remember_process(const LiveExecution& execution) {
  constexpr std::size_t kMost = 4096;
  std::map<int, ExecutionId>& known = execution.session->by_pid;
  int pid = execution.process->pid();
  known.insert_or_assign(pid, execution.row.id);
  if (known.size() <= kMost) return;
  auto oldest = std::ranges::min_element(known, {}, [](const auto& one) { return one.second; });
  known.erase(oldest);
}

Task<Result<void>> Executions::run_program(LiveExecutionPtr execution, ExecuteRequest* request) {
  std::shared_ptr<sandbox::Sandbox> sandbox = execution->session->sandbox;
  sandbox::ExecRequest exec;
  std::string folder;
  if (request->code) {
    Result<std::vector<std::string>> command =
        co_await command_of(sandbox, request, execution->row.id.str(), &folder);
    if (!command) {
      if (!folder.empty()) (void)co_await sandbox->remove(folder, true);
      co_return fail(std::move(command.error()));
    }
    exec.argv = std::move(*command);
    exec.zygote = request->language == "python";
  } else if (!request->argv.empty()) {
    exec.argv = std::move(request->argv);
  } else {
    exec.argv = {"/bin/sh", "-c", std::move(request->shell_command)};
    if (!request->shell_start.empty()) {
      exec.argv = {"/bin/sh", "-c", std::move(request->shell_start), "sh",
                   std::move(exec.argv.back())};
    }
  }
  exec.env = environment_of(execution->session->row);
  for (auto& [name, value] : request->env) exec.env[name] = std::move(value);
  exec.cwd = std::move(request->cwd);
  exec.stdin_data = std::move(request->stdin_data);
  exec.stdin_open = execution->input_open = request->stdin_open;
  if (request->terminal) {
    exec.terminal = {.rows = request->terminal->rows, .cols = request->terminal->cols};
    exec.env.emplace("TERM", "xterm-256color");
    exec.stdin_open = execution->input_open = true;
  }
  exec.timeout = time_of(*request);
  exec.max_output_bytes = request->max_output_bytes.value_or(limits_.output_bytes);
  fault::here("execute.running");
  Result<std::unique_ptr<sandbox::Process>> started = co_await sandbox->spawn(std::move(exec));
  if (!started) {
    if (!folder.empty()) (void)co_await sandbox->remove(std::move(folder), true);
    execution->row.exit_code = exit_code_of(started.error());
    if (execution->row.exit_code) {
      co_await execution->spool->put(
          SpoolKind::kStderr, "atoll: " + std::string(code_name(started.error().code())) + ": " +
                                  started.error().message() + "\n");
    }
    co_return fail(std::move(started.error()));
  }
  fault::here("execute.spawned");
  std::shared_ptr<sandbox::Process> process(std::move(*started));
  execution->process = process;
  execution->row.exec_id = process->exec_id();
  remember_process(*execution);
  if (execution->cancelled()) (void)co_await process->signal(SIGKILL);
  execution->changed.notify_all();
  for (;;) {
    ATOLL_CO_TRY(sandbox::OutputChunk chunk, co_await process->read());
    if (chunk.stream == sandbox::OutputStream::kEnd) break;
    bool is_stdout = chunk.stream == sandbox::OutputStream::kStdout;
    co_await execution->spool->put(is_stdout ? SpoolKind::kStdout : SpoolKind::kStderr,
                                   std::move(chunk.bytes));
    fault::here("execute.output");
  }
  ATOLL_CO_TRY(sandbox::ExitStatus status, co_await process->wait());
  if (!folder.empty()) (void)co_await sandbox->remove(std::move(folder), true);
  model::Execution& row = execution->row;
  row.exit_code = status.exit_code;
  row.truncated |= status.truncated;
  if (status.timed_out) (void)execution->try_apply(ExecutionEvent::kTimeUp);
  row.metrics = metrics_of(status.cpu_user, status.cpu_system, status.max_rss_bytes);
  if (status.oom && status.signal != 0) {
    row.error_code = std::string(code_name(Code::kResourceExhausted));
    row.error_message = "it used more memory than the sandbox has";
  }
  co_return Result<void>();
}

Task<Result<void>> Executions::run_in_context(LiveExecutionPtr execution, ExecuteRequest* request) {
  LiveSession& session = *execution->session;
  ATOLL_CO_TRY(ContextId id, co_await context_of(execution->session, request));
  execution->row.context_id = id;
  execution->changed.notify_all();
  contexts::RunRequest run{.code = std::move(*request->code),
                           .timeout = time_of(*request),
                           .max_output_bytes = 0,  // the spool keeps it
                           .place = execution->place};
  std::shared_ptr<Spool> spool = execution->spool;
  run.on_event = [spool](const contexts::RunEvent* event) { return keep_event(spool, event); };
  ATOLL_CO_TRY(contexts::RunResult result, co_await session.contexts->run(id, std::move(run)));
  model::Execution& row = execution->row;
  row.exit_code = result.exit_code;
  row.truncated |= result.truncated;
  row.result_json = result_json(result);
  row.metrics =
      metrics_of(result.usage.cpu_user, result.usage.cpu_system, result.usage.memory_peak_bytes);
  if (result.timed_out) (void)execution->try_apply(ExecutionEvent::kTimeUp);
  if (result.crashed) {
    bool oom = result.crashed->oom;
    row.error_code =
        std::string(code_name(oom ? Code::kResourceExhausted : Code::kExecutionFailed));
    row.error_message = result.crashed->cause;
  } else if (result.error) {
    row.error_code = std::string(code_name(Code::kExecutionFailed));
    row.error_message = result.error->ename + ": " + result.error->evalue;
  }
  co_return co_await remember_context(execution->session, id);
}

}  // namespace atl::control
