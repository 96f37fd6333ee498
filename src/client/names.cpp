#include "client/names.hpp"

#include <utility>
#include <vector>

namespace atl::client {

namespace {

constexpr std::size_t kShown = 8;        // candidates in an error
constexpr std::size_t kLooked = 10'000;  // sessions at most

std::vector<std::string> ids_of(const bodies::SessionListBody& body) {
  std::vector<std::string> ids;
  for (const bodies::SessionBody& session : body.sessions) ids.push_back(session.id);
  return ids;
}

bool could_be_id(std::string_view typed) {
  for (char c : typed) {
    if ((c < '0' || c > '9') && (c < 'a' || c > 'z')) return false;
  }
  return !typed.empty() && typed.size() <= kIdLength;
}

}  // namespace

Result<std::string> match_prefix(std::string_view what, std::string_view typed,
                                 std::span<const std::string> ids) {
  std::vector<std::string> found;
  for (const std::string& id : ids) {
    if (id == typed) return id;
    if (!typed.empty() && id.starts_with(typed)) found.push_back(id);
  }
  std::string quoted = "\"" + std::string(typed.substr(0, 80)) + "\"";
  if (found.empty()) {
    return fail(Code::kNotFound,
                "there is no " + std::string(what) + " whose id begins with " + quoted);
  }
  if (found.size() == 1) return found.front();
  std::string message = quoted + " is the beginning of " + std::to_string(found.size()) + " " +
                        std::string(what) + "s: ";
  for (std::size_t i = 0; i < found.size() && i < kShown; ++i) {
    message += (i == 0 ? "" : ", ") + found[i];
  }
  if (found.size() > kShown) message += ", …";
  return fail(Code::kInvalidArgument, std::move(message));
}

Task<Result<SessionId>> find_session(Api* api, std::string typed) {
  if (!could_be_id(typed)) co_return fail(match_prefix("session", typed, {}).error());
  if (typed.size() == kIdLength) {
    ATOLL_CO_TRY(bodies::SessionBody session, co_await api->get_session(SessionId(typed)));
    co_return SessionId(std::move(session.id));
  }
  SessionFilter live{.states = {"creating", "ready", "running", "paused"}};
  ATOLL_CO_TRY(bodies::SessionListBody sessions,
               co_await api->list_sessions(std::move(live), kLooked));
  Result<std::string> id = match_prefix("session", typed, ids_of(sessions));
  if (!id && id.error().code() == Code::kNotFound) {
    ATOLL_CO_TRY(sessions, co_await api->list_sessions({}, kLooked));
    id = match_prefix("session", typed, ids_of(sessions));
  }
  if (!id) co_return fail(id.error());
  co_return SessionId(std::move(*id));
}

Task<Result<ExecutionId>> find_execution(Api* api, std::string typed) {
  if (could_be_id(typed) && typed.size() == kIdLength) {
    Result<bodies::ExecutionBody> execution = co_await api->get_execution(ExecutionId(typed));
    if (execution) co_return ExecutionId(std::move(typed));
    if (execution.error().code() != Code::kNotFound) co_return fail(execution.error());
  }
  Result<SessionId> session = co_await find_session(api, typed);
  if (!session) {
    Code code = session.error().code();
    bool missing = code == Code::kNotFound || code == Code::kSessionNotFound;
    if (!missing) co_return fail(session.error());
    co_return fail(Code::kNotFound, "there is no execution or session \"" + typed + "\"");
  }
  ATOLL_CO_TRY(bodies::ExecutionListBody body, co_await api->list_results(*session, 1));
  if (body.results.empty()) {
    co_return fail(Code::kNotFound, "nothing has been executed in session " + session->str());
  }
  co_return ExecutionId(body.results.front().execution_id);
}

}  // namespace atl::client
