// What clients ask about executions: one, those of a session, and one as it runs.
#include <utility>

#include "control/executions.hpp"

namespace atl::control {

using async::Task;

namespace {

Error no_execution(const ExecutionId& id) {
  return Error(Code::kNotFound, "there is no execution " + id.str());
}

}  // namespace

model::Execution Executions::so_far(const LiveExecution& execution) const {
  model::Execution row = execution.row;
  if (!execution.done()) {
    row.output = execution.spool->output();
    row.truncated = execution.spool->truncated();
  }
  return row;
}

Task<Result<model::Execution>> Executions::get(Caller caller, ExecutionId id) {
  if (auto found = live_.find(id.str()); found != live_.end()) {
    if (found->second->row.tenant != caller.tenant) co_return fail(no_execution(id));
    // One without a row ends soon; its id is known from an event.
    co_return so_far(*found->second);
  }
  Result<model::Execution> row = co_await shared_.store.execution(id, true);
  bool hidden = row && row->tenant != caller.tenant;
  if (hidden || (!row && row.error().code() == Code::kNotFound)) co_return fail(no_execution(id));
  if (!row) co_return row;
  co_return co_await as_ended(std::move(*row), true);
}

Task<Result<std::vector<model::Execution>>> Executions::list(Caller caller, SessionId id,
                                                             store::Page page, bool with_output) {
  ATOLL_CO_TRY(model::Session session, co_await sessions_.get(std::move(caller), id));
  (void)session;
  ATOLL_CO_TRY(std::vector<model::Execution> rows,
               co_await shared_.store.executions({.session_id = std::move(id)}, std::move(page)));
  for (model::Execution& row : rows) {
    if (auto found = live_.find(row.id.str()); found != live_.end()) {
      row = so_far(*found->second);
      continue;
    }
    if (with_output) {
      ATOLL_CO_TRY(row, co_await shared_.store.execution(row.id, true));
    }
    ATOLL_CO_TRY(row, co_await as_ended(std::move(row), with_output));
  }
  co_return rows;
}

Task<Result<LiveExecutionPtr>> Executions::live(Caller caller, ExecutionId id) {
  if (auto found = live_.find(id.str());
      found != live_.end() && found->second->row.tenant == caller.tenant) {
    co_return found->second;
  }
  ATOLL_CO_TRY(model::Execution row, co_await get(std::move(caller), std::move(id)));
  (void)row;
  co_return LiveExecutionPtr();
}

Task<Result<std::vector<RunningProgram>>> Executions::programs(Caller caller, SessionId id) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await sessions_.live(std::move(caller), std::move(id)));
  std::vector<RunningProgram> running;
  for (const auto& [name, execution] : session->executions) {
    if (!execution->process || execution->program.argv.empty()) continue;
    if (model::is_final(execution->row.state)) continue;
    running.push_back(
        {.id = execution->row.id, .pid = execution->process->pid(), .program = execution->program});
  }
  co_return running;
}

Task<Result<ExecutionId>> Executions::of_process(Caller caller, SessionId id, int pid) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await sessions_.live(std::move(caller), std::move(id)));
  auto found = session->by_pid.find(pid);
  if (found == session->by_pid.end()) {
    co_return fail(Code::kNotFound, "there is no process with pid " + std::to_string(pid));
  }
  co_return found->second;
}

Task<Result<std::optional<int>>> Executions::pid_of(Caller caller, ExecutionId id) {
  ATOLL_CO_TRY(LiveExecutionPtr execution, co_await live(std::move(caller), std::move(id)));
  if (!execution) co_return std::nullopt;
  while (!execution->process && !execution->done()) co_await execution->changed.wait();
  if (!execution->process) co_return std::nullopt;
  co_return execution->process->pid();
}

}  // namespace atl::control
