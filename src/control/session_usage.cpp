// What runs in a session, and what it uses of its limits.
#include <algorithm>
#include <utility>

#include "control/sessions.hpp"

namespace atl::control {

using async::Task;

namespace {

constexpr double kHigh = 90;  // percent

}  // namespace

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
