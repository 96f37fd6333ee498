// What clients ask about sessions: one, a list, what runs in one and what it uses of its limits.
#include <algorithm>
#include <utility>

#include "control/sessions.hpp"

namespace atl::control {

using async::Task;
using model::SessionState;

namespace {

constexpr double kHigh = 90;  // percent

}  // namespace

Task<Result<model::Session>> Sessions::get(Caller caller, SessionId id) {
  if (Result<LiveSessionPtr> session = find_live(caller, id)) co_return view(**session);
  Result<model::Session> row = co_await shared_.store.session(id);
  bool hidden = row && row->tenant != caller.tenant;
  if (hidden || (!row && row.error().code() == Code::kNotFound)) {
    co_return fail(Code::kSessionNotFound, "there is no session " + id.str());
  }
  co_return row;
}

Task<Result<std::vector<model::Session>>> Sessions::list(Caller caller, store::SessionFilter filter,
                                                         store::Page page) {
  filter.tenant = caller.tenant;
  if (!filter.session_key.empty()) filter.session_key = shared_or(std::move(filter.session_key));
  std::vector<SessionState> wanted = filter.states;
  auto asked = [&](SessionState state) { return std::ranges::find(wanted, state) != wanted.end(); };
  // Whether something runs in it is not the store's business, and that it is ready may be written
  // only after a client was told.
  if (asked(SessionState::kRunning) || asked(SessionState::kReady)) {
    for (SessionState also : {SessionState::kReady, SessionState::kCreating}) {
      if (!asked(also)) filter.states.push_back(also);
    }
  }
  std::vector<model::Session> found;
  std::size_t limit = page.limit;
  for (;;) {
    ATOLL_CO_TRY(std::vector<model::Session> rows, co_await shared_.store.sessions(filter, page));
    for (model::Session& row : rows) {
      page.after = row.id.str();
      auto live = live_.find(row.id);
      if (live != live_.end()) {
        row = view(*live->second);
      } else if (!model::is_final(row.state)) {  // it ended while the store was asked
        ATOLL_CO_TRY(row, co_await shared_.store.session(row.id));
      }
      if ((wanted.empty() || asked(row.state)) && found.size() < limit) {
        found.push_back(std::move(row));
      }
    }
    if (found.size() >= limit || rows.size() < page.limit) co_return found;
  }
}

Task<Result<NumberedPage>> Sessions::list_page(Caller caller, store::SessionFilter filter,
                                               std::size_t page, std::size_t size) {
  constexpr std::size_t kAtOnce = 1000;
  NumberedPage found;
  std::size_t first = (page - 1) * size;
  store::Page part{.limit = kAtOnce};
  for (;;) {
    ATOLL_CO_TRY(std::vector<model::Session> rows, co_await list(caller, filter, part));
    if (!rows.empty()) part.after = rows.back().id.str();
    for (model::Session& row : rows) {
      std::size_t at = found.total++;
      if (at >= first && at < first + size) found.rows.push_back(std::move(row));
    }
    if (rows.size() < kAtOnce || found.total >= kMaxCounted) co_return found;
  }
}

Task<Result<SessionStatus>> Sessions::status(Caller caller, SessionId id) {
  ATOLL_CO_TRY(model::Session row, co_await get(caller, id));
  SessionStatus status{.status = row.state};
  if (auto found = live_.find(id); found != live_.end()) {
    for (const auto& [name, execution] : found->second->executions) {
      if (execution->row.state == model::ExecutionState::kRunning) status.running.push_back(name);
    }
    status.last_execution = found->second->last_execution;
  }
  if (status.last_execution.empty()) {
    ATOLL_CO_TRY(std::vector<model::Execution> last,
                 co_await shared_.store.executions({.session_id = id}, {.limit = 1}));
    if (!last.empty()) status.last_execution = last[0].id.str();
  }
  co_return status;
}

Task<Result<std::vector<model::Process>>> Sessions::processes(Caller caller, SessionId id) {
  ATOLL_CO_TRY(Use used, co_await use(std::move(caller), std::move(id)));
  ATOLL_CO_TRY(std::vector<sandbox::ProcessInfo> found, co_await used.sandbox().processes());
  std::vector<model::Process> all;
  for (sandbox::ProcessInfo& one : found) {
    all.push_back({.pid = one.pid,
                   .parent = one.parent,
                   .state = one.state,
                   .memory_bytes = one.rss_bytes,
                   .cpu_ms = one.cpu_ms,
                   .command = std::move(one.command)});
  }
  co_return all;
}

Task<Result<SessionUsage>> Sessions::usage(Caller caller, SessionId id) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await live(std::move(caller), std::move(id)));
  if (!session->usable()) co_return fail(Code::kConflict, "the session is still being made");
  SandboxPtr sandbox = session->sandbox;
  ATOLL_CO_TRY(sandbox::Usage used, co_await sandbox->usage());
  ATOLL_CO_TRY(std::optional<node::NetworkFigures> network,
               co_await shared_.networks.figures(sandbox->id()));
  constexpr double kMegabyte = 1 << 20;
  constexpr double kLongEnough = 1;  // s; a moment says nothing
  SessionUsage usage;
  // Since the last look; since the beginning at the first, when what the sandbox needed for its own
  // start is in the figure.
  auto at = shared_.clock.steady();
  double seconds = std::chrono::duration<double>(at - session->usage_at).count();
  if (session->usage_at == std::chrono::steady_clock::time_point{} && session->row.ready_at) {
    seconds = std::chrono::duration<double>(now() - *session->row.ready_at).count();
    seconds = std::max(seconds, kLongEnough);
  }
  if (seconds > 0) {
    usage.cpu_usage_percent = 100 * (used.cpu_seconds - session->usage_cpu_seconds) / seconds;
  }
  session->usage_at = at;
  session->usage_cpu_seconds = used.cpu_seconds;
  usage.memory_usage_mb = static_cast<double>(used.memory_bytes) / kMegabyte;
  usage.memory_limit_mb = static_cast<double>(used.memory_limit_bytes) / kMegabyte;
  usage.pids_current = used.pids;
  usage.disk_usage_mb = static_cast<double>(used.disk_bytes) / kMegabyte;
  if (network) {
    usage.network_rx_bytes = network->rx_bytes;
    usage.network_tx_bytes = network->tx_bytes;
  }
  const model::TemplateResources& most = session->origin->spec.resources;
  const model::Resources& asked = session->row.config.resources;
  double cpu_limit = 100 * asked.cpu.value_or(most.cpu);
  auto disk_limit = static_cast<double>(asked.disk.value_or(most.disk));
  if (seconds >= kLongEnough && usage.cpu_usage_percent * 100 > kHigh * cpu_limit) {
    usage.alerts.push_back("CPU usage high");
  }
  if (usage.memory_usage_mb * 100 > kHigh * usage.memory_limit_mb && usage.memory_limit_mb > 0) {
    usage.alerts.push_back("Memory usage critical");
  }
  if (usage.disk_usage_mb * 100 > kHigh * disk_limit) usage.alerts.push_back("Disk usage high");
  co_return usage;
}

}  // namespace atl::control
