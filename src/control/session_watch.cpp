#include "control/session_watch.hpp"

#include <utility>

#include "async/deadline.hpp"

namespace atl::control {

using async::Task;
using model::SessionEvent;
using model::SessionPhase;
using model::SessionState;

namespace {

constexpr std::chrono::milliseconds kTick{250};
constexpr std::chrono::seconds kSeen{5};     // between looks at whether a sandbox still lives
constexpr std::chrono::seconds kAnswer{30};  // of a sandbox that may be slow

}  // namespace

Task<bool> SessionWatch::is_lost(LiveSessionPtr session) {
  if (!session->sandbox->is_running()) co_return true;
  if (shared_.clock.steady() - session->seen_at < kSeen) co_return false;
  session->seen_at = shared_.clock.steady();
  SandboxPtr sandbox = session->sandbox;
  Result<sandbox::Usage> usage = co_await sandbox->usage();
  co_return !usage && usage.error().code() == Code::kNotFound;
}

Task<void> SessionWatch::look_at(LiveSessionPtr session) {
  const model::Session& row = session->row;
  if (session->ending() || session->finding() || !session->sandbox) co_return;
  bool lost = co_await is_lost(session);
  co_await follow_pause(session);
  if (session->ending()) co_return;
  if (lost) {
    co_await ender_.end_quietly(session, SessionState::kFailed, "backend", "the sandbox is gone");
  } else if (row.expires_at && *row.expires_at <= sessions_.now()) {
    co_await expire(session);
  } else if (row.config.idle_timeout_seconds && session->running == 0 && session->users == 0 &&
             shared_.clock.steady() - session->idle_since >=
                 std::chrono::seconds(*row.config.idle_timeout_seconds)) {
    co_await ender_.end_quietly(session, SessionState::kCompleted, {}, {});
  } else if (session->touched && !session->saving && !session->workspace.empty()) {
    co_await copies_.save(session);
  }
}

// One that is to be paused is kept for as long as a session can live, counted from now. What cannot
// be paused ends.
Task<void> SessionWatch::expire(LiveSessionPtr session) {
  if (session->row.config.pause_on_timeout && session->phase() == SessionPhase::kReady) {
    Caller owner{.tenant = session->row.tenant, .key_id = session->row.key_id};
    SessionId id = session->row.id;
    Result<model::Session> kept =
        co_await changes_.renew(owner, id, shared_.limits.max_timeout_seconds);
    if (kept) kept = co_await changes_.pause(std::move(owner), std::move(id));
    if (kept || session->ending()) co_return;
  }
  co_await ender_.end_quietly(session, SessionState::kCompleted, {}, {});
}

Task<void> SessionWatch::run_timers() {
  for (;;) {
    co_await async::sleep_for(kTick);
    for (const LiveSessionPtr& session : sessions_.all()) tasks_.spawn(look_at(session));
  }
}

Task<void> SessionWatch::follow_pause(LiveSessionPtr session) {
  if (!session->sandbox) co_return;
  sandbox::State state = session->sandbox->status().state;
  bool paused = state == sandbox::State::kPaused && session->phase() == SessionPhase::kReady;
  bool resumed = state == sandbox::State::kRunning && session->phase() == SessionPhase::kPaused;
  if (!paused && !resumed) co_return;
  session->apply(paused ? SessionEvent::kPausedOutside : SessionEvent::kResumedOutside);
  session->idle_since = shared_.clock.steady();
  sessions_.publish(*session, paused ? "session_paused" : "session_resumed");
  (void)co_await sessions_.put(session);  // the next write brings it, else
}

void SessionWatch::suspect(LiveSessionPtr session) { tasks_.spawn(examine(std::move(session))); }

Task<void> SessionWatch::examine(LiveSessionPtr session) {
  if (session->ending() || !session->sandbox) co_return;
  SandboxPtr sandbox = session->sandbox;
  (void)co_await sandbox->usage();  // after it the backend knows
  co_await follow_pause(session);
  if (session->row.state == SessionState::kPaused) co_return;
  auto answer = co_await async::with_deadline(sandbox->executions(), async::deadline_in(kAnswer),
                                              Code::kBackend, "the sandbox does not answer");
  if (answer || session->ending() || session->row.state == SessionState::kPaused) co_return;
  co_await ender_.end_quietly(session, SessionState::kFailed, "backend", answer.error().message());
}

}  // namespace atl::control
