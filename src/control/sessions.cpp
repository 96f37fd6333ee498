#include "control/sessions.hpp"

#include <algorithm>
#include <utility>

#include "async/deadline.hpp"
#include "codec/names.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::RowInStore;
using model::SessionState;

namespace {

constexpr std::chrono::seconds kFindingTime{30};  // that a request waits

std::string state_name(SessionState state) { return codec::enum_name(state); }

// What others still see as ready may be on its way out.
Error not_alive(const model::Session& row) {
  bool ending = !is_final(row.state);
  return Error(Code::kConflict, "the session is " + (ending ? "ending" : state_name(row.state)));
}

}  // namespace

model::Time Sessions::now() const { return shared_.clock.now(); }

void Sessions::publish(const LiveSession& session, std::string event) {
  log::info(event, log::kv("session_id", session.row.id.str()),
            log::kv("template_id", session.row.template_id),
            log::kv("runtime_node", session.row.runtime_node),
            log::kv("trace_id", session.trace_id), log::kv("request_id", session.request_id),
            log::kv("metadata", session.row.metadata_json.size()));  // bytes: what it says is
                                                                     // private
  shared_.events.publish({.event = std::move(event),
                          .tenant = session.row.tenant,
                          .session_id = session.row.id.str(),
                          .status = codec::enum_name(session.row.state),
                          .time = now()});
}

std::string Sessions::key_name(const std::string& tenant, const std::string& key) {
  return tenant + '\0' + key;  // neither holds a NUL
}

std::string Sessions::shared_or(std::string key) const {
  return shared_.mode == Mode::kShared ? "shared" : std::move(key);
}

void Sessions::enter(const LiveSessionPtr& session) {
  const model::Session& row = session->row;
  live_[row.id] = session;
  if (row.session_key.empty()) return;
  by_key_[key_name(row.tenant, row.session_key)] = row.id;
  if (shared_.workspaces.kept()) {
    session->workspace = Workspaces::name_of(row.tenant, row.session_key);
    session->touched = true;
  }
}

void Sessions::forget(LiveSession& session) {
  if (std::optional<SessionCost> cost = std::exchange(session.cost, {})) {
    shared_.tenants.give_session(session.row.tenant, *cost);
  }
  live_.erase(session.row.id);
  auto by_key = by_key_.find(key_name(session.row.tenant, session.row.session_key));
  if (by_key != by_key_.end() && by_key->second == session.row.id) by_key_.erase(by_key);
  session.changed.notify_all();
}

Result<LiveSessionPtr> Sessions::find_live(const Caller& caller, const SessionId& id) const {
  auto found = live_.find(id);
  if (found == live_.end() || found->second->row.tenant != caller.tenant) {
    return fail(Code::kSessionNotFound, "there is no session " + id.str());
  }
  return found->second;
}

const model::Session* Sessions::row_of(const SessionId& id) const {
  auto found = live_.find(id);
  return found == live_.end() || found->second->ending() ? nullptr : &found->second->row;
}

std::vector<LiveSessionPtr> Sessions::all() const {
  std::vector<LiveSessionPtr> sessions;
  for (const auto& [id, session] : live_) sessions.push_back(session);
  return sessions;
}

std::size_t Sessions::live_count(const std::string& runtime_node) const {
  return static_cast<std::size_t>(std::ranges::count(
      live_, runtime_node, [](const auto& one) { return one.second->row.runtime_node; }));
}

std::size_t Sessions::finding_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      live_, [](const auto& one) { return model::is_unfound(one.second->phase()); }));
}

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
  co_return Use(std::move(session), shared_.clock);
}

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

std::optional<SessionId> Sessions::id_of_key(const std::string& name) const {
  auto found = by_key_.find(name);
  if (found == by_key_.end()) return std::nullopt;
  return found->second;
}

Task<Result<void>> Sessions::put(LiveSessionPtr session, std::optional<store::AuditRow> audit) {
  session->row.updated_at = now();
  std::vector<store::Change> changes;
  changes.push_back(store::PutSession{session->row});
  if (session->creation) changes.push_back(store::AddAudit{*session->creation});
  if (audit) changes.push_back(store::AddAudit{std::move(*audit)});
  Result<void> written = co_await shared_.store.write(std::move(changes));
  if (written) session->creation.reset();
  co_return written;
}

void Sessions::began(LiveSession& session) { ++session.running; }

void Sessions::finished(LiveSession& session) {
  --session.running;
  session.idle_since = shared_.clock.steady();
  session.changed.notify_all();
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

Task<Result<void>> Sessions::until(LiveSessionPtr session, async::Deadline deadline,
                                   std::function<bool(const LiveSession&)> condition) {
  auto wait = [](LiveSessionPtr one,
                 std::function<bool(const LiveSession&)>* done) -> Task<Result<bool>> {
    while (!(*done)(*one)) co_await one->changed.wait();
    co_return true;
  };
  Result<bool> in_time = co_await async::with_deadline(wait(session, &condition), deadline,
                                                       Code::kCreateTimeout, "still creating");
  (void)in_time;  // the deadline is no error: the caller looks at what there is
  co_return Result<void>();
}

Task<Result<void>> Sessions::until_found(LiveSessionPtr session) {
  if (!session->finding()) co_return Result<void>();
  ATOLL_CO_CHECK(co_await until(session, async::deadline_in(kFindingTime),
                                [](const LiveSession& one) { return !one.finding(); }));
  if (!session->finding()) co_return Result<void>();
  co_return fail(
      Code::kNoAvailableRuntime,
      "the server was restarted and has not found this session again yet; try again later");
}

}  // namespace atl::control
