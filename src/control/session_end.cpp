// How sessions end, and the timers that end them.
#include <utility>

#include "async/deadline.hpp"
#include "async/join_by.hpp"
#include "base/fault.hpp"
#include "base/rollback.hpp"
#include "codec/names.hpp"
#include "control/sessions.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::RowInStore;
using model::SessionEvent;
using model::SessionPhase;
using model::SessionState;

namespace {

constexpr std::chrono::milliseconds kTick{250};
constexpr std::chrono::seconds kSeen{5};  // between looks at whether a sandbox still lives
constexpr std::chrono::seconds kWriteAgain{1};
constexpr std::chrono::seconds kSaving{30};  // the files of a workspace
constexpr std::chrono::milliseconds kAnswerFirst{2};
constexpr std::chrono::seconds kElsewhere{3};  // at the server's end, for those not found again
constexpr std::chrono::seconds kStopping{60};  // the same, for all others
constexpr std::chrono::seconds kMaking{5};     // of a sandbox that nobody wants any more

}  // namespace

Task<void> Sessions::stop_sandbox(SandboxPtr sandbox) {
  Result<void> stopped = co_await sandbox->stop();
  fault::here("delete.stopped");
  if (!stopped) log::warn("sandbox_stop_failed", log::kv("error", stopped.error().to_string()));
}

Task<void> Sessions::destroy_sandbox(std::string backend, SandboxId id) {
  Result<void> gone = co_await node_.destroy(std::move(backend), std::move(id));
  if (!gone) log::warn("sandbox_stop_failed", log::kv("error", gone.error().to_string()));
}

// The answer goes first: a processor that takes a sandbox apart is nobody else's for 2 ms.
Task<void> Sessions::stop_soon(SandboxPtr sandbox) {
  co_await async::sleep_for(kAnswerFirst);
  co_await stop_sandbox(std::move(sandbox));
}

Task<void> Sessions::save_files(LiveSessionPtr session) {
  if (session->workspace.empty()) co_return;
  while (session->saving || session->freezing()) co_await session->changed.wait();
  SandboxPtr sandbox = session->sandbox;
  if (!sandbox || sandbox->status().state == sandbox::State::kPaused) {
    co_return;  // saved before it was frozen
  }
  session->saving = true;
  session->touched = false;
  Rollback done;
  done.add([session] {
    session->saving = false;
    session->changed.notify_all();
  });
  std::uint64_t disk =
      session->row.config.resources.disk.value_or(session->recipe->spec.resources.disk);
  Result<void> saved = co_await async::with_deadline(
      workspaces_.save(std::move(sandbox), session->workspace, disk << 20, session->ending()),
      async::deadline_in(kSaving), Code::kTransferTimeout, "it takes too long");
  if (!saved) {
    log::warn("workspace_not_saved", log::kv("session_id", session->row.id.str()),
              log::kv("error", saved.error().to_string()));
  }
  if (session->row.state == SessionState::kFailed) co_return;  // its row says why
  bool is_news = !saved && session->row.error_code.empty();
  session->row.error_code = saved ? std::string() : code_name(saved.error().code());
  session->row.error_message = saved ? std::string() : saved.error().message();
  if (is_news) publish(*session, "workspace_not_saved");
}

Task<Result<void>> Sessions::end(LiveSessionPtr session, SessionState state, std::string code,
                                 std::string message, AuditRow audit) {
  bool is_first = begin_end(session, SessionEvent::kEnd, state, std::move(code), std::move(message),
                            std::move(audit));
  while (!session->ended()) co_await session->changed.wait();
  if (is_first && session->end_failure) co_return fail(*session->end_failure);
  if (!live_.contains(session->row.id)) co_return Result<void>();
  co_return fail(Code::kNoAvailableRuntime, "it has ended, and the store does not know it yet");
}

bool Sessions::begin_end(const LiveSessionPtr& session, SessionEvent event, SessionState state,
                         std::string code, std::string message, AuditRow audit) {
  SessionState before = session->row.state;
  if (!session->try_apply(event)) return false;
  fault::here("delete.begun");
  session->before_end = before;
  session->row.state = state;
  session->row.error_code = std::move(code);
  session->row.error_message = std::move(message);
  session->row.ended_at = now();
  session->changed.notify_all();
  ends_.spawn(take_down(session, std::move(audit)));
  return true;
}

// A task of its own: whoever waits for it may be cancelled, and a session that is half-way down
// would never be over.
Task<void> Sessions::take_down(LiveSessionPtr session, AuditRow audit) {
  SessionState state = session->row.state;
  if (state != SessionState::kFailed) co_await save_files(session);
  // Awaited by nobody but shut_down(): tearing a sandbox down takes longer than anything else here.
  // What a crash leaves behind is found at the next start.
  bool at_rest = session->running == 0 && session->users == 0;
  if (session->sandbox) {
    stopping_.spawn(at_rest ? stop_soon(session->sandbox) : stop_sandbox(session->sandbox));
  } else if (session->phase() == SessionPhase::kEndingUnfound) {
    elsewhere_.spawn(destroy_sandbox(session->row.backend, session->row.sandbox_id));
  }
  Result<void> written;
  if (session->in_store != RowInStore::kEnd || !session->row.error_code.empty())
    written = co_await put(session, audit);
  fault::here("delete.written");
  if (!written) {
    log::error("store_failed", log::kv("error", written.error().to_string()));
    session->end_failure = written.error();
  }
  // Packages or an image may take minutes to come: then make() cleans up by itself.
  (void)co_await until(session, async::deadline_in(kMaking), [](const LiveSession& one) {
    return one.phase() != SessionPhase::kEndingUnmade;
  });
  fault::here("delete.done");
  session->apply(SessionEvent::kOver);
  if (written) {
    forget(*session);
  } else {
    session->changed.notify_all();
    tasks_.spawn(write_end(session, std::move(audit)));
  }
  publish(*session, "session_" + codec::enum_name(state));
}

Task<void> Sessions::end_quietly(LiveSessionPtr session, SessionState state, std::string code,
                                 std::string message) {
  (void)co_await end(std::move(session), state, std::move(code), std::move(message));
}

// Until the store is back. It is kept here as ended: the store would still call it ready.
Task<void> Sessions::write_end(LiveSessionPtr session, AuditRow audit) {
  for (;;) {
    co_await async::sleep_for(kWriteAgain);
    Result<void> written = co_await put(session, audit);
    if (written) break;
  }
  forget(*session);
}

Task<bool> Sessions::is_lost(LiveSessionPtr session) {
  if (!session->sandbox->is_running()) co_return true;
  if (clock_.steady() - session->seen_at < kSeen) co_return false;
  session->seen_at = clock_.steady();
  SandboxPtr sandbox = session->sandbox;
  Result<sandbox::Usage> usage = co_await sandbox->usage();
  co_return !usage && usage.error().code() == Code::kNotFound;
}

Task<void> Sessions::look_at(LiveSessionPtr session) {
  const model::Session& row = session->row;
  if (session->ending() || session->finding() || !session->sandbox) co_return;
  bool lost = co_await is_lost(session);
  co_await follow_pause(session);
  if (session->ending()) co_return;
  if (lost) {
    co_await end_quietly(session, SessionState::kFailed, "backend", "the sandbox is gone");
  } else if (row.expires_at && *row.expires_at <= now()) {
    co_await end_quietly(session, SessionState::kCompleted, {}, {});
  } else if (row.config.idle_timeout_seconds && session->running == 0 && session->users == 0 &&
             clock_.steady() - session->idle_since >=
                 std::chrono::seconds(*row.config.idle_timeout_seconds)) {
    co_await end_quietly(session, SessionState::kCompleted, {}, {});
  } else if (session->touched && !session->saving && !session->workspace.empty()) {
    co_await save_files(session);
  }
}

Task<void> Sessions::run_timers() {
  for (;;) {
    co_await async::sleep_for(kTick);
    for (const LiveSessionPtr& session : all()) tasks_.spawn(look_at(session));
  }
}

Task<void> Sessions::shut_down(bool end_sandboxes) {
  if (end_sandboxes) {
    async::TaskGroup ending(executor_);
    for (const LiveSessionPtr& session : all()) {
      ending.spawn(end_quietly(session, SessionState::kTerminated, {}, {}));
    }
    co_await ending.wait_idle();
  }
  // What takes longer is ended by the next server, as nobody's.
  co_await async::join_by(&elsewhere_, async::deadline_in(kElsewhere));
  co_await async::join_by(&stopping_, async::deadline_in(kStopping));
  co_await tasks_.join();
  co_await ends_.join();
}

}  // namespace atl::control
