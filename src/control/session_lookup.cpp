// What clients see of sessions, and how they get hold of one.
#include <algorithm>
#include <utility>

#include "codec/names.hpp"
#include "control/sessions.hpp"

namespace atl::control {

using async::Task;
using model::SessionState;

namespace {

std::string state_name(SessionState state) { return codec::enum_name(state); }

// What others still see as ready may be on its way out.
Error not_alive(const model::Session& row) {
  bool ending = !is_final(row.state);
  return Error(Code::kConflict, "the session is " + (ending ? "ending" : state_name(row.state)));
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
  Result<model::Session> row = co_await shared_.store.session(id);
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
    ATOLL_CO_TRY(std::vector<model::Session> rows, co_await shared_.store.sessions(filter, page));
    for (model::Session& row : rows) {
      page.after = row.id.str();
      auto live = live_.find(row.id);
      if (live != live_.end()) {
        row = view(*live->second);
      } else if (!model::is_final(row.state)) {  // it ended while the store was asked
        ATOLL_CO_TRY(row, co_await shared_.store.session(row.id));
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
  co_return Use(std::move(session), shared_.clock);
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
                 co_await shared_.store.executions({.session_id = id}, {.limit = 1}));
    if (!last.empty()) status.last_execution = last[0].id.str();
  }
  co_return status;
}

}  // namespace atl::control
