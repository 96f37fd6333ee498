// What a client does with a session that it has.
#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "async/deadline.hpp"
#include "base/fault.hpp"
#include "base/rollback.hpp"
#include "codec/names.hpp"
#include "control/audit.hpp"
#include "control/sessions.hpp"

namespace atl::control {

using async::Task;
using model::AuditAction;
using model::SessionEvent;
using model::SessionPhase;
using model::SessionState;

namespace {

std::string state_name(SessionState state) { return codec::enum_name(state); }

Error ended_meanwhile(const LiveSession& session) {
  return Error(Code::kConflict, "the session is " + state_name(session.row.state));
}

// What others still see as ready may be on its way out.
Error not_alive(const model::Session& row) {
  bool ending = !is_final(row.state);
  return Error(Code::kConflict, "the session is " + (ending ? "ending" : state_name(row.state)));
}

constexpr double kHigh = 90;  // percent

// What of the session changes, by name: values may be anything.
std::string members_of(const ChangeRequest& request) {
  std::string names;
  auto add = [&](bool changes, const char* name) {
    if (changes) names += (names.empty() ? "" : ", ") + std::string(name);
  };
  add(request.labels.has_value(), "labels");
  add(request.metadata_json.has_value(), "metadata");
  add(request.timeout_seconds.has_value(), "timeout_seconds");
  add(request.idle_timeout_seconds.has_value(), "idle_timeout_seconds");
  return names;
}

}  // namespace

model::Session Sessions::view(const LiveSession& session) const {
  model::Session row = session.row;
  if (session.ending() && !session.ended()) {
    row.state = session.before_end;
    row.ended_at.reset();
    if (session.row.state == SessionState::kFailed) row.error_code.clear();
  }
  if (row.state == SessionState::kReady && session.running > 0) row.state = SessionState::kRunning;
  bool made = session.sandbox && row.state != SessionState::kCreating;
  if (made) row.workspace = session.sandbox->workspace();
  return row;
}

Task<Result<model::Session>> Sessions::get(Caller caller, SessionId id) {
  if (Result<LiveSessionPtr> session = find_live(caller, id)) co_return view(**session);
  Result<model::Session> row = co_await store_.session(id);
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
  // Whether something runs in it is not the store's business.
  if (asked(SessionState::kRunning) && !asked(SessionState::kReady)) {
    filter.states.push_back(SessionState::kReady);
  }
  std::vector<model::Session> found;
  std::size_t limit = page.limit;
  for (;;) {
    ATOLL_CO_TRY(std::vector<model::Session> rows, co_await store_.sessions(filter, page));
    for (model::Session& row : rows) {
      page.after = row.id.str();
      auto live = live_.find(row.id);
      if (live != live_.end()) {
        row = view(*live->second);
      } else if (!model::is_final(row.state)) {  // it ended while the store was asked
        ATOLL_CO_TRY(row, co_await store_.session(row.id));
      }
      if ((wanted.empty() || asked(row.state)) && found.size() < limit) {
        found.push_back(std::move(row));
      }
    }
    if (found.size() >= limit || rows.size() < page.limit) co_return found;
  }
}

Task<Result<LiveSessionPtr>> Sessions::live(Caller caller, SessionId id) {
  if (Result<LiveSessionPtr> session = find_live(caller, id); session && !(*session)->ending()) {
    if ((*session)->finding()) ATOLL_CO_CHECK(co_await until_found(*session));
    if (!(*session)->ending()) co_return session;
  }
  ATOLL_CO_TRY(model::Session row, co_await get(std::move(caller), id));
  co_return fail(not_alive(row));
}

Task<Result<void>> Sessions::check_alive(Caller caller, SessionId id) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await live(std::move(caller), std::move(id)));
  (void)session;
  co_return Result<void>();
}

Task<Result<Use>> Sessions::use(Caller caller, SessionId id) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await live(caller, id));
  while (session->row.state == SessionState::kCreating && !session->ending()) {
    co_await session->changed.wait();
  }
  if (!session->usable()) {
    co_return fail(Code::kConflict, "the session is " + state_name(session->row.state));
  }
  if (session->row.state == SessionState::kPaused) {
    co_return fail(Code::kConflict, "the session is paused: resume it first");
  }
  co_return Use(std::move(session));
}

Task<Result<model::Session>> Sessions::change(Caller caller, SessionId id, ChangeRequest request) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await live(caller, id));
  model::Session& row = session->row;
  auto bad = [&](const std::optional<std::uint64_t>& seconds) {
    return seconds && (*seconds < 1 || *seconds > limits_.max_timeout_seconds);
  };
  if (bad(request.timeout_seconds) || bad(request.idle_timeout_seconds)) {
    co_return fail(
        Code::kInvalidValue,
        "a time-out is between 1 and " + std::to_string(limits_.max_timeout_seconds) + " seconds");
  }
  model::Session before = row;
  std::string changed = members_of(request);
  if (request.labels) row.labels = std::move(*request.labels);
  if (request.metadata_json) row.metadata_json = std::move(*request.metadata_json);
  if (request.idle_timeout_seconds) row.config.idle_timeout_seconds = request.idle_timeout_seconds;
  if (request.timeout_seconds) {
    row.config.timeout_seconds = *request.timeout_seconds;
    if (row.ready_at)
      row.expires_at = *row.ready_at + std::chrono::seconds(*request.timeout_seconds);
  }
  Result<void> written = co_await put(
      session,
      audit_row(caller,
                {.action = AuditAction::kSessionChanged, .session_id = id, .detail = changed}));
  if (!written) {  // what the store refuses must not stand in the way of the next write
    std::tie(row.labels, row.metadata_json, row.config, row.expires_at) =
        std::tie(before.labels, before.metadata_json, before.config, before.expires_at);
    co_return fail(written.error());
  }
  fault::here("change.written");
  co_return view(*session);
}

Task<Result<model::Session>> Sessions::renew(Caller caller, SessionId id, std::uint64_t seconds) {
  if (seconds < 1 || seconds > limits_.max_timeout_seconds) {
    co_return fail(Code::kInvalidValue,
                   "seconds must be between 1 and " + std::to_string(limits_.max_timeout_seconds));
  }
  ATOLL_CO_TRY(LiveSessionPtr session, co_await live(caller, id));
  std::optional<model::Time> before = session->row.expires_at;
  model::Time renewed = now() + std::chrono::seconds(seconds);
  session->row.expires_at = renewed;
  std::string time = std::to_string(seconds) + " s";
  Result<void> written = co_await put(
      session,
      audit_row(caller,
                {.action = AuditAction::kSessionRenewed, .session_id = id, .detail = time}));
  if (!written) {
    // Unless another renewal came meanwhile.
    if (session->row.expires_at == renewed) session->row.expires_at = before;
    co_return fail(written.error());
  }
  co_return view(*session);
}

namespace {

constexpr std::chrono::seconds kAnswer{30};  // of a sandbox that may be slow

// Pausing and resuming come one after the other.
Task<void> until_settled(LiveSessionPtr session) {
  while (session->freezing() && !session->ending()) co_await session->changed.wait();
}

// `asked`: kPause or kResume.
Task<Result<void>> freeze(LiveSessionPtr session, SessionEvent asked) {
  SandboxPtr sandbox = session->sandbox;
  session->apply(asked);
  auto outcome = std::make_shared<SessionEvent>(SessionEvent::kUnchanged);
  Rollback done;  // also when whoever asked does not wait
  done.add([session, outcome] {
    (void)session->try_apply(*outcome);  // its end may have been quicker
    session->changed.notify_all();
  });
  bool pause = asked == SessionEvent::kPause;
  Result<void> changed = co_await (pause ? sandbox->pause() : sandbox->resume());
  if (changed) *outcome = pause ? SessionEvent::kFrozen : SessionEvent::kThawed;
  co_return changed;
}

}  // namespace

Task<Result<model::Session>> Sessions::pause(Caller caller, SessionId id) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await live(caller, id));
  if (session->phase() == SessionPhase::kPaused) co_return view(*session);
  if (!session->usable()) co_return fail(Code::kConflict, "the session is still being made");
  co_await save_files(session);
  // Whoever reads the files of a frozen one waits for nothing.
  while (session->saving) co_await session->changed.wait();
  co_await until_settled(session);
  if (session->ending()) co_return fail(ended_meanwhile(*session));
  if (session->phase() == SessionPhase::kPaused) co_return view(*session);
  ATOLL_CO_CHECK(co_await freeze(session, SessionEvent::kPause));
  fault::here("pause.frozen");
  if (session->ending()) co_return fail(ended_meanwhile(*session));
  ATOLL_CO_CHECK(co_await put(
      session, audit_row(caller, {.action = AuditAction::kSessionPaused, .session_id = id})));
  fault::here("pause.written");
  publish(*session, "session_paused");
  co_return view(*session);
}

Task<Result<model::Session>> Sessions::resume(Caller caller, SessionId id) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await live(caller, id));
  co_await until_settled(session);
  if (session->phase() != SessionPhase::kPaused) {
    // Somebody may have paused it behind our back.
    if (session->usable()) (void)co_await freeze(session, SessionEvent::kResume);
    co_return view(*session);
  }
  ATOLL_CO_CHECK(co_await freeze(session, SessionEvent::kResume));
  fault::here("resume.thawed");
  if (session->ending()) co_return fail(ended_meanwhile(*session));
  session->idle_since = clock_.steady();
  ATOLL_CO_CHECK(co_await put(
      session, audit_row(caller, {.action = AuditAction::kSessionResumed, .session_id = id})));
  fault::here("resume.written");
  publish(*session, "session_resumed");
  co_return view(*session);
}

Task<void> Sessions::follow_pause(LiveSessionPtr session) {
  if (!session->sandbox) co_return;
  sandbox::State state = session->sandbox->status().state;
  bool paused = state == sandbox::State::kPaused && session->phase() == SessionPhase::kReady;
  bool resumed = state == sandbox::State::kRunning && session->phase() == SessionPhase::kPaused;
  if (!paused && !resumed) co_return;
  session->apply(paused ? SessionEvent::kPausedOutside : SessionEvent::kResumedOutside);
  session->idle_since = clock_.steady();
  publish(*session, paused ? "session_paused" : "session_resumed");
  (void)co_await put(session);  // the next write brings it, else
}

void Sessions::suspect(LiveSessionPtr session) { tasks_.spawn(examine(std::move(session))); }

Task<void> Sessions::examine(LiveSessionPtr session) {
  if (session->ending() || !session->sandbox) co_return;
  SandboxPtr sandbox = session->sandbox;
  (void)co_await sandbox->usage();  // after it the backend knows
  co_await follow_pause(session);
  if (session->row.state == SessionState::kPaused) co_return;
  auto answer = co_await async::with_deadline(sandbox->executions(), async::deadline_in(kAnswer),
                                              Code::kBackend, "the sandbox does not answer");
  if (answer || session->ending() || session->row.state == SessionState::kPaused) co_return;
  co_await end_quietly(session, SessionState::kFailed, "backend", answer.error().message());
}

Task<Result<void>> Sessions::remove(Caller caller, SessionId id) {
  Result<LiveSessionPtr> session = find_live(caller, id);
  if (session) {
    // Its files may have to be saved. One that is not found in time is ended all the same.
    if ((*session)->finding()) (void)co_await until_found(*session);
    AuditRow audit =
        audit_row(caller, {.action = AuditAction::kSessionDeleted, .session_id = std::move(id)});
    co_return co_await end(*session, SessionState::kTerminated, {}, {}, std::move(audit));
  }
  ATOLL_CO_TRY(model::Session row, co_await get(std::move(caller), std::move(id)));
  (void)row;
  co_return Result<void>();
}

Task<Result<void>> Sessions::remove_by_key(Caller caller, std::string key) {
  auto found = by_key_.find(key_name(caller.tenant, shared_or(std::move(key))));
  if (found == by_key_.end()) co_return Result<void>();
  SessionId id = found->second;
  co_return co_await remove(std::move(caller), std::move(id));
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
                 co_await store_.executions({.session_id = id}, {.limit = 1}));
    if (!last.empty()) status.last_execution = last[0].id.str();
  }
  co_return status;
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
  auto at = clock_.steady();
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
  const model::TemplateResources& most = session->recipe->spec.resources;
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
