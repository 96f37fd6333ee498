// sandbox_create, _list, _info, _kill, _pause, _resume; expose_port; audit_query.
#include <cmath>
#include <map>
#include <utility>

#include <boost/describe/class.hpp>
#include <boost/json/array.hpp>

#include "api/common/host.hpp"
#include "api/common/preview_gate.hpp"
#include "api/common/preview_link.hpp"
#include "api/common/text.hpp"
#include "api/mcp/tools.hpp"
#include "api/rest/session_body.hpp"
#include "api/rest/views.hpp"

namespace atl::api::mcp {

namespace {

using model::SessionState;
using StringMap = std::map<std::string, std::string>;

constexpr std::uint64_t kLifetime = 3600;
constexpr std::uint64_t kLongestTtl = 3600;

struct CreateArguments {
  std::optional<std::string> template_;
  std::optional<std::uint64_t> timeout_seconds;
  std::optional<bool> allow_network;
  std::optional<StringMap> env;
  std::optional<double> cpu;
  std::optional<std::uint64_t> memory_mb;
  std::optional<std::uint64_t> disk_mb;
  std::optional<StringMap> labels;
};
BOOST_DESCRIBE_STRUCT(CreateArguments, (),
                      (template_, timeout_seconds, allow_network, env, cpu, memory_mb, disk_mb,
                       labels))

struct ListArguments {
  std::optional<SessionState> status;
  std::optional<std::uint64_t> limit;
  std::optional<std::string> cursor;
  std::optional<std::string> sandbox_id;
};
BOOST_DESCRIBE_STRUCT(ListArguments, (), (status, limit, cursor, sandbox_id))

struct SandboxArguments {
  std::optional<std::string> sandbox_id;
};
BOOST_DESCRIBE_STRUCT(SandboxArguments, (), (sandbox_id))

struct PortArguments {
  std::uint16_t port = 0;
  std::optional<std::uint64_t> ttl_seconds;
  std::optional<std::string> sandbox_id;
};
BOOST_DESCRIBE_STRUCT(PortArguments, (), (port, ttl_seconds, sandbox_id))

struct AuditArguments {
  std::optional<model::AuditAction> action;
  std::optional<std::string> sandbox_id;
  std::optional<std::string> since;
  std::optional<std::string> until;
  std::optional<std::uint64_t> limit;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(AuditArguments, (), (action, sandbox_id, since, until, limit, cursor))

// As POST /api/v1/sessions takes it, with the same checks.
Answer<control::CreateRequest> request_of(CreateArguments wanted, const Call& call) {
  rest::CreateBody body;
  body.template_id = std::move(wanted.template_);
  body.labels = std::move(wanted.labels);
  std::uint64_t longest = call.control().session_maker().limits().max_timeout_seconds;
  body.config.emplace();
  body.config->timeout_seconds = wanted.timeout_seconds.value_or(std::min(kLifetime, longest));
  body.config->allow_network = wanted.allow_network;
  body.config->environment = std::move(wanted.env);
  if (wanted.cpu && (!std::isfinite(*wanted.cpu) || *wanted.cpu <= 0)) {
    return refuse_value("/cpu", "must be more than 0");
  }
  body.config->resources.emplace();
  body.config->resources->cpu = wanted.cpu;
  body.config->resources->memory = wanted.memory_mb;
  body.config->resources->disk = wanted.disk_mb;
  ATOLL_TRY(control::CreateRequest request, rest::to_request(std::move(body)));
  request.wait = control::kCreateWait;
  return request;
}

object sandbox_view(const model::Session& session) {
  return codec::to_json(rest::session_view(session)).as_object();
}

Answer<std::optional<model::Time>> time_of(const std::optional<std::string>& text,
                                           std::string_view at) {
  if (!text) return std::optional<model::Time>();
  std::optional<model::Time> time = from_rfc3339(*text);
  if (!time) return refuse_value(std::string(at), "must be a time such as 2026-01-31T12:00:00Z");
  return time;
}

ToolResult state_result(const model::Session& session, std::string summary) {
  ToolResult result{.summary = std::move(summary)};
  result.data = {{"sandbox_id", session.id.str()}, {"state", codec::enum_name(session.state)}};
  result.text = result.summary;
  return result;
}

}  // namespace

Task<Answer<ToolResult>> sandbox_create(CallPtr call, object arguments) {
  ATOLL_CO_TRY(CreateArguments wanted, read_arguments<CreateArguments>(arguments));
  ATOLL_CO_TRY(control::CreateRequest request, request_of(std::move(wanted), *call));
  ATOLL_CO_TRY(control::SessionMaker::Created created,
               co_await call->control().session_maker().create(call->caller, std::move(request)));
  const model::Session& session = created.value;
  ToolResult result{.summary = "Made the sandbox " + session.id.str()};
  result.text =
      result.summary + " (" + session.template_id + ", " + codec::enum_name(session.state) + ")";
  result.data = {{"sandbox_id", session.id.str()}, {"sandbox", sandbox_view(session)}};
  co_return result;
}

Task<Answer<ToolResult>> sandbox_list(CallPtr call, object arguments) {
  ATOLL_CO_TRY(ListArguments wanted, read_arguments<ListArguments>(arguments));
  ATOLL_CO_CHECK(check_words(wanted.cursor, "/cursor", kMaxName));
  ATOLL_CO_TRY(std::uint64_t limit, number_or(wanted.limit, kPage, 1, kMaxPage, "/limit"));
  std::vector<model::Session> rows;
  std::string next;
  if (wanted.sandbox_id) {
    ATOLL_CO_CHECK(check_words(wanted.sandbox_id, "/sandbox_id", kMaxName));
    ATOLL_CO_TRY(model::Session row, co_await call->control().sessions().get(
                                         call->caller, SessionId(*wanted.sandbox_id)));
    rows.push_back(std::move(row));
  } else {
    model::SessionFilter filter;
    filter.states = {SessionState::kCreating, SessionState::kReady, SessionState::kRunning,
                     SessionState::kPaused};
    if (wanted.status) filter.states = {*wanted.status};
    model::Page page{.after = std::move(wanted.cursor).value_or(""), .limit = limit + 1};
    ATOLL_CO_TRY(rows, co_await call->control().sessions().list(call->caller, std::move(filter),
                                                                std::move(page)));
    if (rows.size() > limit) {
      rows.resize(limit);
      next = rows.back().id.str();
    }
  }
  ToolResult result{.summary = std::to_string(rows.size()) + " sandboxes"};
  boost::json::array list;
  for (const model::Session& row : rows) {
    result.text += row.id.str() + "  " + codec::enum_name(row.state) + "  " + row.template_id +
                   "  " + rfc3339(row.created_at) + "\n";
    list.emplace_back(sandbox_view(row));
  }
  result.data["sandboxes"] = std::move(list);
  if (!next.empty()) result.data["next_cursor"] = next;
  if (result.text.empty()) result.text = "(none)";
  co_return result;
}

Task<Answer<ToolResult>> sandbox_info(CallPtr call, object arguments) {
  ATOLL_CO_TRY(SandboxArguments wanted, read_arguments<SandboxArguments>(arguments));
  ATOLL_CO_TRY(Target target, co_await target_of(call, std::move(wanted.sandbox_id)));
  control::Sessions& sessions = call->control().sessions();
  ATOLL_CO_TRY(model::Session row, co_await sessions.get(call->caller, target.id));
  ToolResult result{.summary = "The sandbox " + row.id.str() + " is " + codec::enum_name(row.state),
                    .notice = std::move(target.notice)};
  result.data = {{"sandbox_id", row.id.str()}, {"sandbox", sandbox_view(row)}};
  if (model::is_final(row.state)) co_return result;
  ATOLL_CO_TRY(control::SessionStatus status, co_await sessions.status(call->caller, target.id));
  boost::json::array running;
  for (const std::string& one : status.running) running.emplace_back(one);
  result.data["running"] = std::move(running);
  if (row.state == SessionState::kPaused || row.state == SessionState::kCreating) co_return result;
  Result<control::SessionUsage> usage = co_await sessions.usage(call->caller, target.id);
  if (usage) result.data["usage"] = codec::to_json(rest::usage_view(*usage));
  co_return result;
}

Task<Answer<ToolResult>> sandbox_kill(CallPtr call, object arguments) {
  ATOLL_CO_TRY(SandboxArguments wanted, read_arguments<SandboxArguments>(arguments));
  ATOLL_CO_TRY(SessionId id, existing_target(*call, wanted.sandbox_id));
  ATOLL_CO_CHECK(co_await call->control().session_ender().remove(call->caller, id));
  ToolResult result{.summary = "The sandbox " + id.str() + " has ended"};
  result.data["sandbox_id"] = id.str();
  result.text = result.summary;
  co_return result;
}

Task<Answer<ToolResult>> sandbox_pause(CallPtr call, object arguments) {
  ATOLL_CO_TRY(SandboxArguments wanted, read_arguments<SandboxArguments>(arguments));
  ATOLL_CO_TRY(SessionId id, existing_target(*call, wanted.sandbox_id));
  ATOLL_CO_TRY(model::Session row,
               co_await call->control().session_changes().pause(call->caller, id));
  co_return state_result(row, "The sandbox " + id.str() + " is paused");
}

Task<Answer<ToolResult>> sandbox_resume(CallPtr call, object arguments) {
  ATOLL_CO_TRY(SandboxArguments wanted, read_arguments<SandboxArguments>(arguments));
  ATOLL_CO_TRY(SessionId id, existing_target(*call, wanted.sandbox_id));
  ATOLL_CO_TRY(model::Session row,
               co_await call->control().session_changes().resume(call->caller, id));
  co_return state_result(row, "The sandbox " + id.str() + " runs again");
}

Task<Answer<ToolResult>> expose_port(CallPtr call, object arguments) {
  ATOLL_CO_TRY(PortArguments wanted, read_arguments<PortArguments>(arguments));
  if (wanted.port == 0) co_return refuse_value("/port", "must be from 1 to 65535");
  ATOLL_CO_CHECK(check_preview_port(wanted.port));
  ATOLL_CO_TRY(std::uint64_t ttl,
               number_or(wanted.ttl_seconds, kLongestTtl, 1, kLongestTtl, "/ttl_seconds"));
  ATOLL_CO_TRY(Target target, co_await target_of(call, std::move(wanted.sandbox_id)));
  ATOLL_CO_TRY(control::PortConnection connection,
               co_await call->control().ports().connect(call->caller, target.id, wanted.port));
  const McpOptions& options = call->mcp->options;
  PreviewLinks links =
      make_preview_links(call->control(), call->caller,
                         {.session = target.id,
                          .port = wanted.port,
                          .ttl = std::chrono::seconds(ttl),
                          .host = call->host,
                          .https = call->https,
                          .own = options.endpoint ? options.endpoint() : std::string(),
                          .preview_domain = options.preview_domain});
  ToolResult result{
      .summary = "Port " + std::to_string(wanted.port) + " can be opened at " + links.urls.front(),
      .notice = std::move(target.notice)};
  boost::json::array urls;
  for (const std::string& url : links.urls) urls.emplace_back(url);
  result.data = {{"sandbox_id", target.id.str()},
                 {"port", wanted.port},
                 {"urls", std::move(urls)},
                 {"expires_at", rfc3339(links.expires)},
                 {"listening", connection.stream != nullptr}};
  result.text = result.summary;
  if (!connection.stream) result.text += "\nNothing listens on this port yet.";
  co_return result;
}

Task<Answer<ToolResult>> audit_query(CallPtr call, object arguments) {
  ATOLL_CO_TRY(AuditArguments wanted, read_arguments<AuditArguments>(arguments));
  ATOLL_CO_CHECK(check_words(wanted.cursor, "/cursor", kMaxName));
  ATOLL_CO_CHECK(check_words(wanted.sandbox_id, "/sandbox_id", kMaxName));
  ATOLL_CO_TRY(std::uint64_t limit, number_or(wanted.limit, kPage, 1, kMaxPage, "/limit"));
  model::AuditFilter filter{.session_id = SessionId(wanted.sandbox_id.value_or(""))};
  filter.action = wanted.action;
  ATOLL_CO_TRY(filter.since, time_of(wanted.since, "/since"));
  ATOLL_CO_TRY(filter.until, time_of(wanted.until, "/until"));
  model::Page page{.after = std::move(wanted.cursor).value_or(""), .limit = limit + 1};
  ATOLL_CO_TRY(std::vector<model::AuditRow> rows,
               co_await call->control().audit().list(call->caller, std::move(filter), page));
  ToolResult result{.summary =
                        std::to_string(std::min<std::size_t>(rows.size(), limit)) + " entries"};
  if (rows.size() > limit) {
    rows.resize(limit);
    result.data["next_cursor"] = rows.back().id;
  }
  boost::json::array list;
  for (const model::AuditRow& row : rows) {
    result.text += rfc3339(row.time) + "  " + codec::enum_name(row.action) + "  " + row.outcome +
                   "  " + row.detail + "\n";
    list.emplace_back(codec::to_json(rest::audit_view(row)));
  }
  result.data["audit"] = std::move(list);
  if (result.text.empty()) result.text = "(none)";
  co_return result;
}

}  // namespace atl::api::mcp
