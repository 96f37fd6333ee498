// From the request to a session that is ready.
#include <utility>

#include "base/fault.hpp"
#include "control/audit.hpp"
#include "control/session_config.hpp"
#include "control/sessions.hpp"
#include "node/workspace_names.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::RowInStore;
using model::SessionEvent;
using model::SessionState;

// Two requests with one key that come at once: the second waits until the first is in the store.
// One that comes while such a session ends waits until its files are on the host.
Task<Result<LiveSessionPtr>> Sessions::of_key(std::string name) {
  for (;;) {
    auto found = by_key_.find(name);
    if (found == by_key_.end()) co_return LiveSessionPtr();
    LiveSessionPtr session = live_.at(found->second);
    if (session->ended()) co_return LiveSessionPtr();
    bool stored = session->in_store != RowInStore::kNone;
    if (stored && !session->ending()) co_return session;
    co_await session->changed.wait();
  }
}

Task<Result<Sessions::Begun>> Sessions::begin_one(Caller caller, CreateRequest request,
                                                  const Once* once) {
  if (mode_ == Mode::kDisabled) {
    co_return fail(Code::kSandboxDisabled, "sandboxes are turned off in the configuration");
  }
  if (node_.is_lost()) {
    co_return fail(Code::kNoAvailableRuntime,
                   "the launcher is gone and this server is about to end; try again later");
  }
  request.session_key = shared_or(std::move(request.session_key));
  if (!request.session_key.empty()) {
    // Before the look-up: nothing may wait between that and begin().
    co_await workspaces_.count(node::folder_name(caller.tenant));
    ATOLL_CO_TRY(LiveSessionPtr same,
                 co_await of_key(key_name(caller.tenant, request.session_key)));
    if (same) co_return Begun{.session = std::move(same), .made = false};
  }
  ATOLL_CO_TRY(TemplatePtr recipe,
               templates_.find(
                   caller, request.template_id.empty() ? "python-default" : request.template_id));
  ATOLL_CO_TRY(model::SessionConfig config, settle_config(*recipe, request.config, limits_));
  ATOLL_CO_CHECK(node_.check(*recipe, config));
  if (live_.size() >= limits_.live) {
    co_return fail(Code::kResourceExhausted,
                   "this server has all the sessions it may have: delete some, or try again later");
  }
  bool files = false;
  if (!request.session_key.empty() && workspaces_.kept()) {
    ATOLL_CO_TRY(files,
                 workspaces_.prepare(Workspaces::name_of(caller.tenant, request.session_key)));
  }
  LiveSessionPtr session = begin(caller, request, std::move(recipe), std::move(config), files);
  if (session->sandbox && !model::keeps_limits(*session->recipe, session->row.config)) {
    co_await take_limits(session);
  }
  fault::here("create.begun");
  if (request.stored_late && session->sandbox && session->row.session_key.empty()) {
    tasks_.spawn(store_soon(session));
  } else {
    ATOLL_CO_CHECK(co_await store_first(session, once));
  }
  session->changed.notify_all();
  ++created_total_;
  publish(*session, "session_created");
  bool ready = session->sandbox != nullptr;
  if (!ready) tasks_.spawn(make(session));
  co_return Begun{.session = std::move(session), .ready = ready};
}

Task<Result<void>> Sessions::store_first(LiveSessionPtr session, const Once* once) {
  std::vector<store::Change> changes;
  if (once != nullptr) {
    once->add_to(changes, {.kind = model::MadeKind::kSession,
                           .id = session->row.id.str(),
                           .state = session->sandbox ? model::MadeState::kDone
                                                     : model::MadeState::kAccepted});
  }
  changes.push_back(store::PutSession{session->row});
  if (session->creation) changes.push_back(store::AddAudit{*session->creation});
  Result<void> written = co_await store_.write(std::move(changes));
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
    begin_end(session, event, SessionState::kFailed, "io", written.error().message(), {});
  } else {
    session->apply(SessionEvent::kDropped);
    forget(*session);
    if (session->sandbox) stopping_.spawn(stop_sandbox(session->sandbox));
  }
  co_return written;
}

// What is not over by then is to be seen by whoever asks for the list.
Task<void> Sessions::store_soon(LiveSessionPtr session) {
  co_await async::sleep_for(limits_.stored_after);
  if (session->in_store != RowInStore::kNone || session->ending()) co_return;
  session->in_store = RowInStore::kLive;
  Result<void> written = co_await put(session);
  if (!written) session->in_store = RowInStore::kNone;
}

std::vector<store::Change> Sessions::with_result(LiveSession& session, bool ends) const {
  std::vector<store::Change> changes;
  if (session.in_store != RowInStore::kNone && !ends) return changes;
  model::Session row = session.row;
  row.updated_at = now();
  if (ends) {
    row.state = SessionState::kTerminated;
    row.ended_at = row.updated_at;
  }
  changes.push_back(store::PutSession{std::move(row)});
  if (session.creation) changes.push_back(store::AddAudit{*session.creation});
  if (session.in_store == RowInStore::kNone) session.in_store = RowInStore::kLive;
  return changes;
}

LiveSessionPtr Sessions::begin(const Caller& caller, CreateRequest& request, TemplatePtr recipe,
                               model::SessionConfig config, bool files) {
  auto session = std::make_shared<LiveSession>();
  session->recipe = std::move(recipe);
  session->trace_id = caller.trace_id;
  session->request_id = caller.request_id;
  model::Session& row = session->row;
  row.id = SessionId::make();
  row.tenant = caller.tenant;
  row.key_id = caller.key_id;
  row.session_key = request.session_key;
  row.template_id = session->recipe->id;
  row.runtime_node = node_.id();
  row.backend = node_.backend_of(*session->recipe);
  row.config = std::move(config);
  row.labels = std::move(request.labels);
  row.metadata_json = std::move(request.metadata_json);
  row.snapshot_id = std::move(request.snapshot_id);
  row.one_shot = request.one_shot;
  row.created_at = row.updated_at = now();
  session->creation = audit_row(caller, {.action = model::AuditAction::kSessionCreated,
                                         .session_id = row.id,
                                         .detail = row.template_id});
  bool as_it_is = row.snapshot_id.empty() && !files;
  SandboxPtr ready = as_it_is ? pool_.claim(session->recipe, row.config) : SandboxPtr();
  row.sandbox_id = ready ? ready->id() : SandboxId::make();
  if (ready) set_ready(*session, std::move(ready));
  enter(session);
  return session;
}

void Sessions::set_ready(LiveSession& session, SandboxPtr sandbox) {
  model::Session& row = session.row;
  row.sandbox_id = sandbox->id();
  sandbox::Isolation isolation = sandbox->status().isolation;
  row.isolation_layers = std::move(isolation.layers);
  row.isolation_missing = std::move(isolation.missing);
  session.apply(SessionEvent::kMade);
  row.ready_at = row.updated_at = now();
  // It may have been renewed while it was made.
  if (!row.expires_at) {
    row.expires_at = *row.ready_at + std::chrono::seconds(row.config.timeout_seconds);
  }
  session.idle_since = clock_.steady();
  session.contexts = std::make_unique<contexts::Contexts>(sandbox.get());
  session.sandbox = std::move(sandbox);
}

// A sandbox that waited gets the limits of this session; one that cannot is not for it.
Task<void> Sessions::take_limits(LiveSessionPtr session) {
  SandboxPtr sandbox = session->sandbox;
  Result<void> changed =
      co_await node_.change_limits(sandbox, session->recipe, session->row.config);
  if (changed) co_return;
  log::warn("limits_not_changed", log::kv("error", changed.error().to_string()));
  stopping_.spawn(stop_sandbox(std::move(sandbox)));
  session->contexts.reset();
  session->sandbox.reset();
  session->apply(SessionEvent::kReturned);
  model::Session& row = session->row;
  row.sandbox_id = SandboxId::make();
  row.ready_at.reset();
  row.expires_at.reset();
}

// With the files of a snapshot, or of the last session with this key.
Task<Result<void>> Sessions::fill(LiveSessionPtr session, SandboxPtr sandbox) {
  if (!session->row.snapshot_id.empty()) {
    // Its owner was checked when the session was created.
    ATOLL_CO_TRY(model::Snapshot row, co_await store_.snapshot(session->row.snapshot_id));
    co_return co_await snapshot_files_.restore(std::move(sandbox), std::move(row.file));
  }
  if (session->workspace.empty()) co_return Result<void>();
  co_await workspaces_.count(node::folder_name(session->row.tenant));
  ATOLL_CO_TRY(bool files, workspaces_.prepare(session->workspace));
  if (!files) co_return Result<void>();
  co_return co_await workspaces_.fill(std::move(sandbox), session->workspace);
}

Task<void> Sessions::make(LiveSessionPtr session) {
  fault::here("create.making");
  Result<SandboxPtr> made =
      co_await pool_.next(session->row.sandbox_id, session->recipe, session->row.config);
  fault::here("create.made");
  // The next server makes it: clients may have been told of it.
  if (!made && node_.is_lost() && !session->ending()) co_return;
  if (made) {
    Result<void> filled = co_await fill(session, *made);
    fault::here("create.restored");
    if (!filled) {
      co_await stop_sandbox(*made);
      made = fail(filled.error());
    }
  }
  if (session->ending()) {  // deleted while it was made; perhaps its end did not wait for this
    if (made) co_await stop_sandbox(*made);
    (void)session->try_apply(SessionEvent::kNotMade);
    session->changed.notify_all();
    co_return;
  }
  if (!made) {
    begin_end(session, SessionEvent::kNotMade, SessionState::kFailed,
              std::string(code_name(made.error().code())), made.error().message(), {});
    co_return;
  }
  set_ready(*session, std::move(*made));
  Result<void> written = co_await put(session);
  if (!written) {
    co_await end_quietly(session, SessionState::kFailed, "io", written.error().message());
    co_return;
  }
  fault::here("create.ready");
  publish(*session, "session_ready");
  session->changed.notify_all();
}

}  // namespace atl::control
