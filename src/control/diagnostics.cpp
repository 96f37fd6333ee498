#include "control/diagnostics.hpp"

#include <algorithm>
#include <utility>

#include "codec/names.hpp"

namespace atl::control {

using async::Task;

namespace {

// The last `most` bytes of what it printed.
Result<std::string> tail_of(const model::Output& output, std::size_t most) {
  if (!output.large) {
    const std::string& all = output.merged;
    return all.substr(all.size() - std::min(most, all.size()));
  }
  std::uint64_t size = output.large->size(model::LargeOutput::Part::kMerged);
  std::uint64_t from = size - std::min<std::uint64_t>(most, size);
  return output.large->read(model::LargeOutput::Part::kMerged, from, most);
}

std::string title_of(const model::Execution& row) {
  std::string title = "=== " + row.id.str() + " " + codec::enum_name(row.state);
  if (row.exit_code) title += ", exit code " + std::to_string(*row.exit_code);
  if (!row.error_message.empty()) title += ", " + row.error_message;
  return title + "\n";
}

}  // namespace

Task<Result<SessionDiagnostics>> Diagnostics::get(Caller caller, SessionId id) {
  SessionDiagnostics found;
  ATOLL_CO_TRY(found.session, co_await sessions_.get(caller, id));
  ATOLL_CO_TRY(found.executions,
               co_await executions_.list(caller, id, {.limit = kExecutions}, false));
  // The newest first, until the log is full.
  for (const model::Execution& listed : found.executions) {
    if (found.log.size() >= kMaxLog) break;
    Result<model::Execution> row = co_await executions_.get(caller, listed.id);
    if (!row) continue;  // too old by now
    std::size_t room = kMaxLog - found.log.size();
    const model::Output* output = &row->output;
    ATOLL_CO_TRY(std::string tail,
                 co_await async::on_pool(pool_, [output, room] { return tail_of(*output, room); }));
    if (!tail.empty() && !tail.ends_with('\n')) tail += '\n';
    found.log.insert(0, title_of(*row) + tail);
  }
  if (found.log.size() > kMaxLog) {
    found.log.erase(0, found.log.size() - kMaxLog);
    found.log_truncated = true;
  }
  std::ranges::reverse(found.executions);
  ATOLL_CO_TRY(found.events, co_await audit_.list(std::move(caller), {.session_id = std::move(id)},
                                                  {.limit = kEvents}));
  std::ranges::reverse(found.events);
  co_return found;
}

}  // namespace atl::control
