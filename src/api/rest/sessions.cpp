#include "api/common/limits.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/query.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/session_body.hpp"
#include "api/rest/views.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

http::Response answer(const model::Session& session) {
  return json_response(200, session_view(session));
}

Answer<std::vector<model::SessionState>> states_of(std::string_view text) {
  std::vector<model::SessionState> states;
  while (!text.empty()) {
    std::size_t comma = text.find(',');
    std::string one(text.substr(0, comma));
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
    auto state = codec::decode_value<model::SessionState>(boost::json::value(one.c_str()));
    if (!state) return refuse(Code::kInvalidArgument, "status " + state.error().detail);
    states.push_back(*state);
  }
  return states;
}

// status=a,b · template=ID · session_key=KEY · label=NAME=VALUE, once for each.
Answer<model::SessionFilter> filter_of(const Call& call) {
  model::SessionFilter filter;
  for (const auto& [name, value] : call.request().query) {
    if (name == "status") {
      ATOLL_TRY(std::vector<model::SessionState> states, states_of(value));
      filter.states.insert(filter.states.end(), states.begin(), states.end());
    } else if (name == "template" || name == "template_id") {
      filter.template_id = value;
    } else if (name == "session_key") {
      if (value.empty()) return refuse(Code::kInvalidArgument, "session_key is empty");
      filter.session_key = value;
    } else if (name == "label") {
      std::size_t at = value.find_first_of("=:");
      if (at == 0 || at == value.npos) {
        return refuse(Code::kInvalidArgument, "a label to look for is NAME=VALUE");
      }
      filter.labels[value.substr(0, at)] = value.substr(at + 1);
    }
  }
  return filter;
}

Task<Answer<http::Response>> list_sessions(Call call) {
  ATOLL_CO_CHECK(known_query(
      call, {"status", "template", "template_id", "session_key", "label", "limit", "cursor"}));
  ATOLL_CO_TRY(model::SessionFilter filter, filter_of(call));
  ATOLL_CO_TRY(model::Page page, query_page(call));
  std::size_t limit = page.limit++;  // one more tells whether there is another page
  ATOLL_CO_TRY(std::vector<model::Session> rows,
               co_await call.control().sessions().list(call.caller, std::move(filter), page));
  bodies::SessionListBody body;
  if (rows.size() > limit) {
    rows.resize(limit);
    body.next_cursor = rows.back().id.str();
  }
  for (const model::Session& row : rows) body.sessions.push_back(session_view(row));
  co_return json_response(200, body);
}

Task<Answer<http::Response>> get_session(Call call) {
  ATOLL_CO_TRY(model::Session row,
               co_await call.control().sessions().get(call.caller, call.session_id()));
  co_return answer(row);
}

Task<Answer<http::Response>> change_session(Call call) {
  ATOLL_CO_TRY(ChangeBody body, co_await read_json<ChangeBody>(call, kMaxSmallBody));
  ATOLL_CO_TRY(control::ChangeRequest request, to_request(std::move(body)));
  ATOLL_CO_TRY(model::Session row, co_await call.control().session_changes().change(
                                       call.caller, call.session_id(), std::move(request)));
  co_return answer(row);
}

Task<Answer<http::Response>> delete_session(Call call) {
  ATOLL_CO_CHECK(co_await call.control().session_ender().remove(call.caller, call.session_id()));
  co_return no_content();
}

// By key: there may be none, and then nothing is to be done.
Task<Answer<http::Response>> delete_sessions(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"session_key"}));
  std::string key(call.request().query_value("session_key"));
  if (key.empty()) {
    co_return refuse(Code::kInvalidArgument, "the query parameter `session_key` is required");
  }
  ATOLL_CO_CHECK(
      co_await call.control().session_ender().remove_by_key(call.caller, std::move(key)));
  co_return no_content();
}

Task<Answer<http::Response>> pause_session(Call call) {
  ATOLL_CO_TRY([[maybe_unused]] EmptyBody body, co_await read_json<EmptyBody>(call, kMaxSmallBody));
  ATOLL_CO_TRY(model::Session row,
               co_await call.control().session_changes().pause(call.caller, call.session_id()));
  co_return answer(row);
}

Task<Answer<http::Response>> resume_session(Call call) {
  ATOLL_CO_TRY([[maybe_unused]] EmptyBody body, co_await read_json<EmptyBody>(call, kMaxSmallBody));
  ATOLL_CO_TRY(model::Session row,
               co_await call.control().session_changes().resume(call.caller, call.session_id()));
  co_return answer(row);
}

Task<Answer<http::Response>> renew_session(Call call) {
  ATOLL_CO_TRY(RenewBody body, co_await read_json<RenewBody>(call, kMaxSmallBody));
  if (body.seconds && (*body.seconds == 0 || *body.seconds > kMaxSeconds)) {
    co_return refuse_value("/seconds", "must be from 1 to " + std::to_string(kMaxSeconds));
  }
  control::Sessions& sessions = call.control().sessions();
  if (!body.seconds) {
    ATOLL_CO_TRY(model::Session row, co_await sessions.get(call.caller, call.session_id()));
    body.seconds = row.config.timeout_seconds;
  }
  ATOLL_CO_TRY(model::Session row, co_await call.control().session_changes().renew(
                                       call.caller, call.session_id(), *body.seconds));
  co_return answer(row);
}

Task<Answer<http::Response>> session_status(Call call) {
  ATOLL_CO_TRY(control::SessionStatus status,
               co_await call.control().sessions().status(call.caller, call.session_id()));
  co_return json_response(
      200, bodies::SessionStatusBody{.session_id = call.session_id().str(),
                                     .status = status.status,
                                     .running = std::move(status.running),
                                     .last_execution = text_or_null(status.last_execution)});
}

Task<Answer<http::Response>> session_usage(Call call) {
  ATOLL_CO_CHECK(known_query(call, {}));
  ATOLL_CO_TRY(control::SessionUsage usage,
               co_await call.control().sessions().usage(call.caller, call.session_id()));
  co_return json_response(200, usage_view(usage));
}

Task<Answer<http::Response>> list_processes(Call call) {
  ATOLL_CO_TRY(std::vector<model::Process> found,
               co_await call.control().sessions().processes(call.caller, call.session_id()));
  bodies::ProcessListBody body;
  for (const model::Process& process : found) body.processes.push_back(process_view(process));
  co_return json_response(200, body);
}

}  // namespace

void add_sessions(Routes& routes) {
  routes.add(Method::kPost, "/sessions", "createSession", Access::kWriter, create_session);
  routes.add(Method::kGet, "/sessions", "listSessions", Access::kReader, list_sessions);
  routes.add(Method::kDelete, "/sessions", "deleteSessionByKey", Access::kWriter, delete_sessions);
  routes.add(Method::kGet, "/sessions/{id}", "getSession", Access::kReader, get_session);
  routes.add(Method::kPatch, "/sessions/{id}", "changeSession", Access::kWriter, change_session);
  routes.add(Method::kDelete, "/sessions/{id}", "deleteSession", Access::kWriter, delete_session);
  routes.add(Method::kPost, "/sessions/{id}/pause", "pauseSession", Access::kWriter, pause_session);
  routes.add(Method::kPost, "/sessions/{id}/resume", "resumeSession", Access::kWriter,
             resume_session);
  routes.add(Method::kPost, "/sessions/{id}/renew", "renewSession", Access::kWriter, renew_session);
  routes.add(Method::kGet, "/sessions/{id}/status", "getSessionStatus", Access::kReader,
             session_status);
  routes.add(Method::kGet, "/sessions/{id}/usage", "getSessionUsage", Access::kReader,
             session_usage);
  routes.add(Method::kGet, "/sessions/{id}/processes", "listProcesses", Access::kReader,
             list_processes);
}

}  // namespace atl::api::rest
