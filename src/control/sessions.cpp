#include "control/sessions.hpp"

#include <algorithm>
#include <utility>

#include "codec/names.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::SessionEvent;

namespace {

constexpr std::chrono::seconds kFindingTime{30};  // that a request waits

}  // namespace

Sessions::Sessions(async::Executor executor, store::Store& store, const Clock& clock,
                   Templates& templates, Node& node, Pool& pool, Workspaces& workspaces,
                   SnapshotFiles& snapshots, Events& events, Mode mode, SessionLimits limits)
    : executor_(executor),
      store_(store),
      clock_(clock),
      templates_(templates),
      node_(node),
      pool_(pool),
      workspaces_(workspaces),
      snapshot_files_(snapshots),
      events_(events),
      mode_(mode),
      limits_(limits),
      tasks_(executor),
      ends_(executor),
      stopping_(executor),
      elsewhere_(executor) {}

Sessions::~Sessions() = default;

model::Time Sessions::now() const {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(clock_.wall());
}

void Sessions::publish(const LiveSession& session, std::string event) {
  log::info(event, log::kv("session_id", session.row.id.str()),
            log::kv("template_id", session.row.template_id),
            log::kv("runtime_node", session.row.runtime_node),
            log::kv("trace_id", session.trace_id), log::kv("request_id", session.request_id),
            log::kv("metadata", session.row.metadata_json.size()));  // bytes: what it says is
                                                                     // private
  events_.publish({.event = std::move(event),
                   .tenant = session.row.tenant,
                   .session_id = session.row.id.str(),
                   .status = codec::enum_name(session.row.state),
                   .time = now()});
}

std::string Sessions::key_name(const std::string& tenant, const std::string& key) {
  return tenant + '\0' + key;  // neither holds a NUL
}

std::string Sessions::shared_or(std::string key) const {
  return mode_ == Mode::kShared ? "shared" : std::move(key);
}

void Sessions::enter(const LiveSessionPtr& session) {
  const model::Session& row = session->row;
  live_[row.id] = session;
  if (row.session_key.empty()) return;
  by_key_[key_name(row.tenant, row.session_key)] = row.id;
  if (workspaces_.kept()) {
    session->workspace = Workspaces::name_of(row.tenant, row.session_key);
    session->touched = true;
  }
}

void Sessions::forget(LiveSession& session) {
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

std::vector<LiveSessionPtr> Sessions::all() const {
  std::vector<LiveSessionPtr> sessions;
  for (const auto& [id, session] : live_) sessions.push_back(session);
  return sessions;
}

Task<Result<void>> Sessions::put(LiveSessionPtr session, AuditRow audit) {
  session->row.updated_at = now();
  std::vector<store::Change> changes;
  changes.push_back(store::PutSession{session->row});
  if (session->creation) changes.push_back(store::AddAudit{*session->creation});
  if (audit) changes.push_back(store::AddAudit{std::move(*audit)});
  Result<void> written = co_await store_.write(std::move(changes));
  if (written) session->creation.reset();
  co_return written;
}

void Sessions::began(LiveSession& session) { ++session.running; }

void Sessions::finished(LiveSession& session) {
  --session.running;
  session.idle_since = clock_.steady();
  session.changed.notify_all();
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

LiveSessionPtr Sessions::expect(model::Session row, TemplatePtr recipe) {
  auto session = std::make_shared<LiveSession>();
  session->row = std::move(row);
  session->recipe = std::move(recipe);
  session->in_store = model::RowInStore::kLive;
  session->set_finding();
  session->idle_since = clock_.steady();
  enter(session);
  return session;
}

std::size_t Sessions::finding_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      live_, [](const auto& one) { return model::is_unfound(one.second->phase()); }));
}

void Sessions::found(LiveSession& session, Found found) {
  if (!session.try_apply(model::found_event(session.row.state))) return;  // it ends
  session.idle_since = session.seen_at = clock_.steady();
  session.sandbox = std::move(found.sandbox);
  session.contexts = std::move(found.contexts);
  session.known_contexts = std::move(found.known_contexts);
  session.changed.notify_all();
}

void Sessions::make_again(LiveSessionPtr session) {
  if (!session->try_apply(SessionEvent::kMakeAgain)) return;  // it ends
  session->changed.notify_all();
  tasks_.spawn(make(session));
}

Task<void> Sessions::lose(LiveSessionPtr session, model::SessionState state, std::string code,
                          std::string message) {
  co_await end_quietly(std::move(session), state, std::move(code), std::move(message));
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
