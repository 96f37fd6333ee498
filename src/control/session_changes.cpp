#include "control/session_changes.hpp"

#include <tuple>
#include <utility>

#include "base/fault.hpp"
#include "base/rollback.hpp"
#include "codec/names.hpp"
#include "control/audit.hpp"

namespace atl::control {

using async::Task;
using model::AuditAction;
using model::SessionEvent;
using model::SessionPhase;

namespace {

Error ended_meanwhile(const LiveSession& session) {
  return Error(Code::kConflict, "the session is " + codec::enum_name(session.row.state));
}

// What of the session changes, by name: values may be anything.
std::string members_of(const ChangeRequest& request) {
  std::string names;
  auto add = [&](bool changes, const char* name) {
    if (changes) names += (names.empty() ? "" : ", ") + std::string(name);
  };
  add(request.labels || !request.label_changes.empty(), "labels");
  add(request.metadata_json.has_value(), "metadata");
  add(request.timeout_seconds.has_value(), "timeout_seconds");
  add(request.idle_timeout_seconds.has_value(), "idle_timeout_seconds");
  return names;
}

void change_labels(std::map<std::string, std::string>& labels,
                   std::map<std::string, std::optional<std::string>> changes) {
  for (auto& [name, value] : changes) {
    if (value) {
      labels[name] = std::move(*value);
    } else {
      labels.erase(name);
    }
  }
}

// Pausing and resuming come one after the other.
Task<void> until_settled(LiveSessionPtr session) {
  while (session->freezing() && !session->ending()) co_await session->changed.wait();
}

// `asked`: kPause or kResume.
Task<Result<void>> freeze(LiveSessionPtr session, SessionEvent asked) {
  SandboxPtr sandbox = session->sandbox;
  session->apply(asked);
  auto outcome = std::make_shared<SessionEvent>(SessionEvent::kUnchanged);
  Rollback done;  // also when the caller is cancelled
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

Task<Result<model::Session>> SessionChanges::change(Caller caller, SessionId id,
                                                    ChangeRequest request) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await sessions_.live(caller, id));
  model::Session& row = session->row;
  auto bad = [&](const std::optional<std::uint64_t>& seconds) {
    return seconds && (*seconds < 1 || *seconds > shared_.limits.max_timeout_seconds);
  };
  if (bad(request.timeout_seconds) || bad(request.idle_timeout_seconds)) {
    co_return fail(Code::kInvalidValue, "a time-out is between 1 and " +
                                            std::to_string(shared_.limits.max_timeout_seconds) +
                                            " seconds");
  }
  model::Session before = row;
  std::string changed = members_of(request);
  if (request.labels) row.labels = std::move(*request.labels);
  change_labels(row.labels, std::move(request.label_changes));
  if (row.labels.size() > kMaxLabels) {
    row.labels = std::move(before.labels);
    co_return fail(Code::kInvalidValue,
                   "a session has at most " + std::to_string(kMaxLabels) + " labels");
  }
  if (request.metadata_json) row.metadata_json = std::move(*request.metadata_json);
  if (request.idle_timeout_seconds) row.config.idle_timeout_seconds = request.idle_timeout_seconds;
  if (request.timeout_seconds) {
    row.config.timeout_seconds = *request.timeout_seconds;
    if (row.ready_at)
      row.expires_at = *row.ready_at + std::chrono::seconds(*request.timeout_seconds);
  }
  Result<void> written = co_await sessions_.put(
      session,
      audit_row(caller,
                {.action = AuditAction::kSessionChanged, .session_id = id, .detail = changed}));
  if (!written) {  // what the store refuses must not stand in the way of the next write
    std::tie(row.labels, row.metadata_json, row.config, row.expires_at) =
        std::tie(before.labels, before.metadata_json, before.config, before.expires_at);
    co_return fail(written.error());
  }
  fault::here("change.written");
  co_return sessions_.view(*session);
}

Task<Result<model::Session>> SessionChanges::renew(Caller caller, SessionId id,
                                                   std::uint64_t seconds, Renewal renewal) {
  if (seconds < 1 || seconds > shared_.limits.max_timeout_seconds) {
    co_return fail(Code::kInvalidValue, "seconds must be between 1 and " +
                                            std::to_string(shared_.limits.max_timeout_seconds));
  }
  ATOLL_CO_TRY(LiveSessionPtr session, co_await sessions_.live(caller, id));
  std::optional<model::Time> before = session->row.expires_at;
  model::Time renewed = sessions_.now() + std::chrono::seconds(seconds);
  // Without an end so far, it is being made: its lifetime counts from `ready`.
  bool lasts = before ? *before >= renewed : session->row.config.timeout_seconds >= seconds;
  if (renewal == Renewal::kAtLeast && lasts) co_return sessions_.view(*session);
  session->row.expires_at = renewed;
  std::string time = std::to_string(seconds) + " s";
  Result<void> written = co_await sessions_.put(
      session,
      audit_row(caller,
                {.action = AuditAction::kSessionRenewed, .session_id = id, .detail = time}));
  if (!written) {
    // Unless another renewal came meanwhile.
    if (session->row.expires_at == renewed) session->row.expires_at = before;
    co_return fail(written.error());
  }
  co_return sessions_.view(*session);
}

Task<Result<model::Session>> SessionChanges::pause(Caller caller, SessionId id) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await sessions_.live(caller, id));
  if (session->phase() == SessionPhase::kPaused) co_return sessions_.view(*session);
  if (!session->usable()) co_return fail(Code::kConflict, "the session is still being made");
  co_await copies_.save(session);
  // Reading files of a frozen sandbox would not end.
  while (session->saving) co_await session->changed.wait();
  co_await until_settled(session);
  if (session->ending()) co_return fail(ended_meanwhile(*session));
  if (session->phase() == SessionPhase::kPaused) co_return sessions_.view(*session);
  ATOLL_CO_CHECK(co_await freeze(session, SessionEvent::kPause));
  fault::here("pause.frozen");
  if (session->ending()) co_return fail(ended_meanwhile(*session));
  ATOLL_CO_CHECK(co_await sessions_.put(
      session, audit_row(caller, {.action = AuditAction::kSessionPaused, .session_id = id})));
  fault::here("pause.written");
  sessions_.publish(*session, "session_paused");
  co_return sessions_.view(*session);
}

Task<Result<model::Session>> SessionChanges::resume(Caller caller, SessionId id) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await sessions_.live(caller, id));
  co_await until_settled(session);
  if (session->phase() != SessionPhase::kPaused) {
    // Somebody may have paused it behind our back.
    if (session->usable()) (void)co_await freeze(session, SessionEvent::kResume);
    co_return sessions_.view(*session);
  }
  ATOLL_CO_CHECK(co_await freeze(session, SessionEvent::kResume));
  fault::here("resume.thawed");
  if (session->ending()) co_return fail(ended_meanwhile(*session));
  session->idle_since = shared_.clock.steady();
  ATOLL_CO_CHECK(co_await sessions_.put(
      session, audit_row(caller, {.action = AuditAction::kSessionResumed, .session_id = id})));
  fault::here("resume.written");
  sessions_.publish(*session, "session_resumed");
  co_return sessions_.view(*session);
}

}  // namespace atl::control
