// From the request to a session that is written, and that has a sandbox if one waited in the pool.
#include "control/session_maker.hpp"

#include <utility>

#include "async/deadline.hpp"
#include "base/code_from_name.hpp"
#include "base/fault.hpp"
#include "base/rollback.hpp"
#include "control/audit.hpp"
#include "node/workspace_names.hpp"

namespace atl::control {

using async::Task;
using model::MadeKind;
using model::MadeState;
using model::RowInStore;
using model::SessionEvent;
using model::SessionState;

namespace {

// What the answer to a request that did not wait says of a session that is still being made.
model::Session as_accepted(model::Session row) {
  row.state = SessionState::kCreating;
  row.updated_at = row.created_at;
  row.isolation_layers.clear();
  row.isolation_missing.clear();
  row.ready_at.reset();
  row.expires_at.reset();
  row.workspace = model::Session().workspace;
  return row;
}

}  // namespace

SessionMaker::SessionMaker(const SessionShared& shared, Sessions& sessions, SessionEnder& ender,
                           SessionSources sources)
    : shared_(shared),
      sessions_(sessions),
      ender_(ender),
      sources_(sources),
      tasks_(shared.executor) {}

Task<Result<SessionMaker::Created>> SessionMaker::create(Caller caller, CreateRequest request,
                                                         Once once) {
  if (once.earlier()) co_return co_await created_before(std::move(caller), *once.earlier());
  if (!request.snapshot_id.empty()) {
    ATOLL_CO_CHECK(co_await check_snapshot(caller.tenant, request.snapshot_id));
  }
  std::optional<std::chrono::seconds> wait = request.wait;
  ATOLL_CO_TRY(Begun begun, co_await begin_one(std::move(caller), std::move(request), &once));
  MadeState stored = begun.ready ? MadeState::kDone : MadeState::kAccepted;
  Created created{.value = sessions_.view(*begun.session), .state = stored};
  if (wait) {
    ATOLL_CO_TRY(created.value, co_await wait_ready(begun.session, async::deadline_in(*wait)));
    if (created.value.state != SessionState::kCreating) created.state = MadeState::kDone;
  } else if (begun.made && !begun.ready) {
    created.value = as_accepted(std::move(created.value));
  }
  if (!begun.made) created.state = MadeState::kFound;
  if (once.active() && created.state != (begun.made ? stored : MadeState::kAccepted)) {
    std::vector<store::Change> changes;
    once.add_to(changes,
                {.kind = MadeKind::kSession, .id = created.value.id.str(), .state = created.state});
    ATOLL_CO_CHECK(co_await shared_.store.write(std::move(changes)));
    fault::here("idempotency.written");
  }
  co_return created;
}

Task<Result<SessionMaker::Created>> SessionMaker::created_before(Caller caller, model::Made made) {
  Result<model::Session> row = co_await sessions_.get(std::move(caller), SessionId(made.id));
  if (!row && row.error().code() == Code::kSessionNotFound) co_return fail(gone_since(made));
  if (!row) co_return fail(row.error());
  bool accepted = made.state == MadeState::kAccepted && !model::is_final(row->state);
  co_return Created{.value = accepted ? as_accepted(std::move(*row)) : std::move(*row),
                    .state = made.state,
                    .replayed = true};
}

Task<Result<model::Session>> SessionMaker::wait_ready(LiveSessionPtr session,
                                                      async::Deadline deadline) {
  ATOLL_CO_CHECK(co_await sessions_.until(session, deadline, [](const LiveSession& one) {
    return one.ending() ? one.ended() : one.row.state != SessionState::kCreating;
  }));
  model::Session row = sessions_.view(*session);
  if (row.state == SessionState::kFailed) {
    co_return fail(code_from_name(row.error_code), row.error_message);
  }
  co_return row;
}

Task<Result<SessionMaker::Begun>> SessionMaker::begin_one(Caller caller, CreateRequest request,
                                                          const Once* once) {
  if (shared_.mode == Mode::kDisabled) {
    co_return fail(Code::kSandboxDisabled, "sandboxes are turned off in the configuration");
  }
  if (!request.apart) request.session_key = sessions_.shared_or(std::move(request.session_key));
  if (!request.session_key.empty()) {
    // Before the look-up: nothing may wait between that and begin().
    co_await shared_.workspaces.count(node::folder_name(caller.tenant));
    ATOLL_CO_TRY(LiveSessionPtr same,
                 co_await sessions_.of_key(Sessions::key_name(caller.tenant, request.session_key)));
    if (same) co_return Begun{.session = std::move(same), .made = false};
  }
  ATOLL_CO_TRY(TemplatePtr origin,
               sources_.templates.find(
                   caller, request.template_id.empty() ? "python-default" : request.template_id));
  ATOLL_CO_TRY(model::SessionConfig config, settle_config(*origin, request.config, shared_.limits));
  if (request.config.network) {
    ATOLL_CO_TRY(config.network,
                 settle_network(caller, *origin, *request.config.network, shared_.network));
  }
  if (config.network) {
    ATOLL_CO_TRY(config.network, shared_.network.with_denied(std::move(*config.network)));
  }
  ATOLL_CO_TRY(Node * node, shared_.placement.choose(*origin, config));
  if (config.network) {
    std::string at = request.config.network ? request.config.network->at : "";
    ATOLL_CO_CHECK(
        co_await sources_.secrets.check_used(caller.tenant, *config.network, std::move(at)));
  }
  if (sessions_.live_count() >= shared_.limits.live) {
    co_return fail(Code::kResourceExhausted,
                   "this server has all the sessions it may have: delete some, or try again later");
  }
  SessionCost cost = cost_of(*origin, config);
  bool files = false;
  if (!request.session_key.empty() && shared_.workspaces.kept()) {
    ATOLL_CO_TRY(
        files, shared_.workspaces.prepare(Workspaces::name_of(caller.tenant, request.session_key)));
  }
  // What the server makes for itself costs its tenant nothing.
  if (!request.apart) ATOLL_CO_CHECK(shared_.tenants.take_session(caller.tenant, cost));
  LiveSessionPtr session = begin(caller, request, std::move(origin), std::move(config), *node);
  if (!request.apart) session->cost = cost;
  if (!files && session->row.snapshot_id.empty()) {  // what waits has no files
    Rollback undo;                                   // when the caller is cancelled
    undo.add([this, session] { drop(*session); });
    SandboxPtr waited = co_await node->claim(session->origin, session->row.config);
    if (waited) {
      undo.add([this, waited] { ender_.stop_later(waited); });
      Result<void> opened = co_await open_network(session, waited);
      undo.release();
      if (!opened) ender_.stop_later(std::exchange(waited, nullptr));  // make() says why
    }
    undo.release();
    if (waited && session->ending()) {
      ender_.stop_later(std::move(waited));
    } else if (waited) {
      set_ready(*session, std::move(waited));
    }
  }
  fault::here("create.begun");
  if (request.stored_late && session->sandbox && session->row.session_key.empty()) {
    tasks_.spawn(store_soon(session));
  } else {
    ATOLL_CO_CHECK(co_await store_first(session, once));
  }
  session->changed.notify_all();
  ++created_total_;
  sessions_.publish(*session, "session_created");
  bool ready = session->sandbox != nullptr;
  if (!ready) tasks_.spawn(make(session));
  co_return Begun{.session = std::move(session), .ready = ready};
}

LiveSessionPtr SessionMaker::begin(const Caller& caller, CreateRequest& request, TemplatePtr origin,
                                   model::SessionConfig config, const Node& node) {
  auto session = std::make_shared<LiveSession>();
  session->origin = std::move(origin);
  session->trace_id = caller.trace_id;
  session->request_id = caller.request_id;
  model::Session& row = session->row;
  row.id = SessionId::make();
  row.tenant = caller.tenant;
  row.key_id = caller.key_id;
  row.session_key = request.session_key;
  row.template_id = session->origin->id;
  row.runtime_node = node.id();
  row.backend = node.backend_of(*session->origin);
  row.config = std::move(config);
  row.labels = std::move(request.labels);
  row.metadata_json = std::move(request.metadata_json);
  row.snapshot_id = std::move(request.snapshot_id);
  row.one_shot = request.one_shot;
  row.created_at = row.updated_at = sessions_.now();
  session->creation = audit_row(caller, {.action = model::AuditAction::kSessionCreated,
                                         .session_id = row.id,
                                         .detail = row.template_id});
  row.sandbox_id = SandboxId::make();
  sessions_.enter(session);
  return session;
}

void SessionMaker::set_ready(LiveSession& session, SandboxPtr sandbox) {
  model::Session& row = session.row;
  row.sandbox_id = sandbox->id();
  sandbox::Isolation isolation = sandbox->status().isolation;
  row.isolation_layers = std::move(isolation.layers);
  row.isolation_missing = std::move(isolation.missing);
  session.apply(SessionEvent::kMade);
  row.ready_at = row.updated_at = sessions_.now();
  // It may have been renewed while it was made.
  if (!row.expires_at) {
    row.expires_at = *row.ready_at + std::chrono::seconds(row.config.timeout_seconds);
  }
  session.idle_since = shared_.clock.steady();
  session.contexts = std::make_unique<contexts::Contexts>(sandbox.get());
  session.sandbox = std::move(sandbox);
}

void SessionMaker::drop(LiveSession& session) {
  if (session.try_apply(SessionEvent::kDropped)) {
    sessions_.forget(session);
  } else {  // it ends, and nobody makes its sandbox
    (void)session.try_apply(SessionEvent::kNotMade);
    session.changed.notify_all();
  }
}

Task<Result<void>> SessionMaker::store_first(LiveSessionPtr session, const Once* once) {
  std::vector<store::Change> changes;
  if (once != nullptr) {
    once->add_to(changes, {.kind = MadeKind::kSession,
                           .id = session->row.id.str(),
                           .state = session->sandbox ? MadeState::kDone : MadeState::kAccepted});
  }
  changes.push_back(store::PutSession{session->row});
  if (session->creation) changes.push_back(store::AddAudit{*session->creation});
  Result<void> written = co_await shared_.store.write(std::move(changes));
  if (written) {
    session->creation.reset();
    fault::here("create.written");
    session->in_store = RowInStore::kLive;
    co_return written;
  }
  if (session->ending()) {  // by its key, meanwhile; nobody makes its sandbox
    (void)session->try_apply(SessionEvent::kNotMade);
    session->changed.notify_all();
  } else if (written.error().code() == Code::kNoAvailableRuntime) {
    // A database that went away may have it all the same: it must not stay there as ready.
    SessionEvent event = session->sandbox ? SessionEvent::kEnd : SessionEvent::kNotMade;
    ender_.begin_end(session, event, SessionState::kFailed, "io", written.error().message(), {});
  } else {
    (void)session->try_apply(SessionEvent::kDropped);
    sessions_.forget(*session);
    if (session->sandbox) ender_.stop_later(session->sandbox);
  }
  co_return written;
}

}  // namespace atl::control
