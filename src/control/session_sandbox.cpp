// What takes a session longer than a sandbox of the pool does: one that is made, files to begin
// with, and what the last server had.
#include <utility>

#include "async/deadline.hpp"
#include "base/fault.hpp"
#include "base/field_error.hpp"
#include "control/session_maker.hpp"
#include "node/workspace_names.hpp"

namespace atl::control {

using async::Task;
using model::RowInStore;
using model::SessionEvent;
using model::SessionState;

// With the files of a snapshot, or of the last session with this key.
Task<Result<void>> SessionMaker::fill(LiveSessionPtr session, SandboxPtr sandbox) {
  if (!session->row.snapshot_id.empty()) {
    // Its owner was checked when the session was created.
    ATOLL_CO_TRY(model::Snapshot row, co_await shared_.store.snapshot(session->row.snapshot_id));
    co_return co_await sources_.snapshots.restore(std::move(sandbox), std::move(row.file));
  }
  if (session->workspace.empty()) co_return Result<void>();
  co_await shared_.workspaces.count(node::folder_name(session->row.tenant));
  ATOLL_CO_TRY(bool files, shared_.workspaces.prepare(session->workspace));
  if (!files) co_return Result<void>();
  co_return co_await shared_.workspaces.fill(std::move(sandbox), session->workspace);
}

Task<void> SessionMaker::make(LiveSessionPtr session) {
  fault::here("create.making");
  Node* node = shared_.placement.find(session->row.runtime_node);
  Result<SandboxPtr> made = fail(Code::kNoAvailableRuntime, "the node of the session is gone");
  if (node != nullptr) {
    made = co_await node->make(session->row.sandbox_id, session->origin, session->row.config);
  }
  fault::here("create.made");
  // The next server makes it, unless it is ended here: clients may have been told of it.
  bool stops = node != nullptr && (node->is_lost() || shared_.placement.stops());
  while (!made && stops && !session->ending()) co_await session->changed.wait();
  if (made) {
    Result<void> filled = co_await fill(session, *made);
    if (filled) filled = co_await open_network(session, *made);
    fault::here("create.restored");
    if (!filled) {
      co_await ender_.stop_sandbox(*made);
      made = fail(filled.error());
    }
  }
  if (session->ending()) {  // deleted while it was made; perhaps its end did not wait for this
    if (made) co_await ender_.stop_sandbox(*made);
    (void)session->try_apply(SessionEvent::kNotMade);
    session->changed.notify_all();
    co_return;
  }
  if (!made) {
    ender_.begin_end(session, SessionEvent::kNotMade, SessionState::kFailed,
                     std::string(code_name(made.error().code())), made.error().message(), {});
    co_return;
  }
  set_ready(*session, std::move(*made));
  Result<void> written = co_await sessions_.put(session);
  if (!written) {
    co_await ender_.end_quietly(session, SessionState::kFailed, "io", written.error().message());
    co_return;
  }
  fault::here("create.ready");
  sessions_.publish(*session, "session_ready");
  session->changed.notify_all();
}

Task<Result<void>> SessionMaker::open_network(LiveSessionPtr session, SandboxPtr sandbox) {
  const Node* node = shared_.placement.find(session->row.runtime_node);
  if (node == nullptr || !node->opens_networks(session->row.backend)) co_return Result<void>();
  node::NetworkGrant grant{
      .policy = shared_.network.in_force(session->origin->spec.security, session->row.config),
      .secrets = {},
      .tenant = session->row.tenant};
  if (!model::allows_anything(grant.policy)) co_return Result<void>();
  ATOLL_CO_TRY(grant.secrets,
               co_await sources_.secrets.values_of(session->row.tenant, grant.policy));
  co_return co_await shared_.networks.apply(std::move(sandbox), std::move(grant));
}

LiveSessionPtr SessionMaker::expect(model::Session row, TemplatePtr origin) {
  auto session = std::make_shared<LiveSession>();
  session->row = std::move(row);
  session->origin = std::move(origin);
  session->in_store = model::RowInStore::kLive;
  session->set_finding();
  if (session->origin) {
    session->cost = cost_of(*session->origin, session->row.config);
    shared_.tenants.count_session(session->row.tenant, *session->cost);
  }
  session->idle_since = shared_.clock.steady();
  sessions_.enter(session);
  return session;
}

void SessionMaker::found(LiveSession& session, Found found) {
  if (!session.try_apply(model::found_event(session.row.state))) return;  // it ends
  session.idle_since = session.seen_at = shared_.clock.steady();
  session.sandbox = std::move(found.sandbox);
  session.contexts = std::move(found.contexts);
  session.known_contexts = std::move(found.known_contexts);
  session.changed.notify_all();
}

void SessionMaker::make_again(LiveSessionPtr session) {
  if (!session->try_apply(SessionEvent::kMakeAgain)) return;  // it ends
  session->changed.notify_all();
  tasks_.spawn(make(session));
}

// What is not done by then shows in the list of executions.
Task<void> SessionMaker::store_soon(LiveSessionPtr session) {
  co_await async::sleep_for(shared_.limits.stored_after);
  if (session->in_store != RowInStore::kNone || session->ending()) co_return;
  session->in_store = RowInStore::kLive;
  Result<void> written = co_await sessions_.put(session);
  if (!written) session->in_store = RowInStore::kNone;
}

// Another tenant's snapshot is none.
Task<Result<void>> SessionMaker::check_snapshot(std::string tenant, std::string id) {
  Result<model::Snapshot> row = co_await shared_.store.snapshot(id);
  if (row && row->tenant == tenant) co_return Result<void>();
  if (!row && row.error().code() != Code::kNotFound) co_return fail(row.error());
  co_return fail(field_error(Code::kNotFound, "/snapshot_id", "there is no snapshot " + id));
}

}  // namespace atl::control
