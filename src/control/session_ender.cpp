#include "control/session_ender.hpp"

#include <utility>

#include "async/deadline.hpp"
#include "async/join_by.hpp"
#include "base/fault.hpp"
#include "codec/names.hpp"
#include "control/audit.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::AuditAction;
using model::RowInStore;
using model::SessionEvent;
using model::SessionPhase;
using model::SessionState;

namespace {

constexpr std::chrono::seconds kWriteAgain{1};
constexpr std::chrono::milliseconds kAnswerFirst{2};
constexpr std::chrono::seconds kElsewhere{3};  // at the server's end, for those not found again
constexpr std::chrono::seconds kStopping{60};  // the same, for all others
constexpr std::chrono::seconds kMaking{5};     // of a sandbox that nobody wants any more

}  // namespace

SessionEnder::SessionEnder(const SessionShared& shared, Sessions& sessions, WorkspaceCopies& copies)
    : shared_(shared),
      sessions_(sessions),
      copies_(copies),
      tasks_(shared.executor),
      ends_(shared.executor),
      stopping_(shared.executor),
      elsewhere_(shared.executor) {}

Task<void> SessionEnder::stop_sandbox(SandboxPtr sandbox) {
  co_await shared_.networks.release(sandbox->id());
  Result<void> stopped = co_await sandbox->stop();
  fault::here("delete.stopped");
  if (!stopped) log::warn("sandbox_stop_failed", log::kv("error", stopped.error().to_string()));
}

Task<void> SessionEnder::destroy_sandbox(Node* node, std::string backend, SandboxId id) {
  co_await shared_.networks.release(id);
  Result<void> gone = co_await node->destroy(std::move(backend), std::move(id));
  if (!gone) log::warn("sandbox_stop_failed", log::kv("error", gone.error().to_string()));
}

// The answer goes first: a processor that takes a sandbox apart is nobody else's for 2 ms.
Task<void> SessionEnder::stop_soon(SandboxPtr sandbox) {
  co_await async::sleep_for(kAnswerFirst);
  co_await stop_sandbox(std::move(sandbox));
}

Task<Result<void>> SessionEnder::end(LiveSessionPtr session, SessionState state, std::string code,
                                     std::string message, AuditRow audit) {
  bool is_first = begin_end(session, SessionEvent::kEnd, state, std::move(code), std::move(message),
                            std::move(audit));
  while (!session->ended()) co_await session->changed.wait();
  if (is_first && session->end_failure) co_return fail(*session->end_failure);
  if (!sessions_.contains(session->row.id)) co_return Result<void>();
  co_return fail(Code::kNoAvailableRuntime, "it has ended, and the store does not know it yet");
}

bool SessionEnder::begin_end(const LiveSessionPtr& session, SessionEvent event, SessionState state,
                             std::string code, std::string message, AuditRow audit) {
  SessionState before = session->row.state;
  if (!session->try_apply(event)) return false;
  fault::here("delete.begun");
  session->before_end = before;
  session->row.state = state;
  session->row.error_code = std::move(code);
  session->row.error_message = std::move(message);
  session->row.ended_at = sessions_.now();
  session->changed.notify_all();
  ends_.spawn(take_down(session, std::move(audit)));
  return true;
}

// A task of its own: a caller that waits may be cancelled, and a session that is half-way down
// would never be over.
Task<void> SessionEnder::take_down(LiveSessionPtr session, AuditRow audit) {
  SessionState state = session->row.state;
  if (state != SessionState::kFailed) co_await copies_.save(session);
  // Awaited by nobody but shut_down(): tearing a sandbox down takes longer than anything else here.
  // What a crash leaves behind is found at the next start.
  bool at_rest = session->running == 0 && session->users == 0;
  if (session->sandbox) {
    stopping_.spawn(at_rest ? stop_soon(session->sandbox) : stop_sandbox(session->sandbox));
  } else if (session->phase() == SessionPhase::kEndingUnfound) {
    Node* node = shared_.placement.find(session->row.runtime_node);
    if (node != nullptr) {
      elsewhere_.spawn(destroy_sandbox(node, session->row.backend, session->row.sandbox_id));
    }
  }
  Result<void> written;
  if (session->in_store != RowInStore::kEnd || !session->row.error_code.empty())
    written = co_await sessions_.put(session, audit);
  fault::here("delete.written");
  if (!written) {
    log::error("store_failed", log::kv("error", written.error().to_string()));
    session->end_failure = written.error();
  }
  // Packages or an image may take minutes to come: then make() cleans up by itself.
  (void)co_await sessions_.until(session, async::deadline_in(kMaking), [](const LiveSession& one) {
    return one.phase() != SessionPhase::kEndingUnmade;
  });
  fault::here("delete.done");
  session->apply(SessionEvent::kOver);
  if (written) {
    sessions_.forget(*session);
  } else {
    session->changed.notify_all();
    tasks_.spawn(write_end(session, std::move(audit)));
  }
  sessions_.publish(*session, "session_" + codec::enum_name(state));
}

Task<void> SessionEnder::end_quietly(LiveSessionPtr session, SessionState state, std::string code,
                                     std::string message) {
  (void)co_await end(std::move(session), state, std::move(code), std::move(message));
}

// Until the store is back. It is kept here as ended: the store would still call it ready.
Task<void> SessionEnder::write_end(LiveSessionPtr session, AuditRow audit) {
  for (;;) {
    co_await async::sleep_for(kWriteAgain);
    Result<void> written = co_await sessions_.put(session, audit);
    if (written) break;
  }
  sessions_.forget(*session);
}

Task<Result<void>> SessionEnder::remove(Caller caller, SessionId id) {
  Result<LiveSessionPtr> session = sessions_.find_live(caller, id);
  if (session) {
    // Its files may have to be saved. One that is not found in time is ended all the same.
    if ((*session)->finding()) (void)co_await sessions_.until_found(*session);
    AuditRow audit =
        audit_row(caller, {.action = AuditAction::kSessionDeleted, .session_id = std::move(id)});
    co_return co_await end(*session, SessionState::kTerminated, {}, {}, std::move(audit));
  }
  ATOLL_CO_TRY(model::Session row, co_await sessions_.get(std::move(caller), std::move(id)));
  (void)row;
  co_return Result<void>();
}

Task<Result<void>> SessionEnder::remove_by_key(Caller caller, std::string key) {
  std::string name = Sessions::key_name(caller.tenant, sessions_.shared_or(std::move(key)));
  std::optional<SessionId> id = sessions_.id_of_key(name);
  if (!id) co_return Result<void>();
  co_return co_await remove(std::move(caller), std::move(*id));
}

Task<void> SessionEnder::shut_down(bool end_sandboxes) {
  if (end_sandboxes) {
    async::TaskGroup ending(shared_.executor);
    for (const LiveSessionPtr& session : sessions_.all()) {
      ending.spawn(end_quietly(session, SessionState::kTerminated, {}, {}));
    }
    co_await ending.wait_idle();
  }
  // What takes longer is ended by the next server, as nobody's.
  co_await async::join_by(&elsewhere_, async::deadline_in(kElsewhere));
  co_await async::join_by(&stopping_, async::deadline_in(kStopping));
}

Task<void> SessionEnder::finish() {
  co_await tasks_.join();
  co_await ends_.join();
}

}  // namespace atl::control
