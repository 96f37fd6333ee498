// /v1/sandboxes/{id}/diagnostics: text for people who look for a fault.
#include "control/diagnostics.hpp"

#include <utility>

#include "api/common/text.hpp"
#include "api/opensandbox/call.hpp"
#include "api/opensandbox/sandbox_view.hpp"
#include "codec/names.hpp"

namespace atl::api::opensandbox {

namespace {

std::string events_text(const control::SessionDiagnostics& found) {
  const model::Session& session = found.session;
  std::string text = rfc3339(session.created_at) + " created, template " + session.template_id +
                     ", backend " + session.backend + "\n";
  for (const model::AuditRow& row : found.events) {
    text += rfc3339(row.time) + " " + codec::enum_name(row.action) + " " + row.outcome;
    if (!row.detail.empty()) text += " " + row.detail;
    text += "\n";
  }
  text += rfc3339(session.ended_at.value_or(session.updated_at)) + " state " +
          std::string(state_name(session.state));
  if (!session.error_code.empty()) text += ": " + session.error_code + " " + session.error_message;
  return text + "\n";
}

Task<Answer<http::Response>> describe(Call call, bool logs) {
  ATOLL_CO_TRY(control::SessionDiagnostics found,
               co_await call.control().diagnostics().get(call.caller, call.session_id()));
  std::string text = logs ? std::move(found.log) : events_text(found);
  std::string_view scope = call.request().query_value("scope");
  if (scope.empty()) {  // as older clients ask
    http::Response response{.status = 200, .body = std::move(text)};
    response.headers.add("Content-Type", "text/plain; charset=utf-8");
    co_return response;
  }
  co_return json_response(200, object{{"sandboxId", found.session.id.str()},
                                      {"kind", logs ? "logs" : "events"},
                                      {"scope", json_text(scope.substr(0, 64))},
                                      {"delivery", "inline"},
                                      {"contentType", "text/plain; charset=utf-8"},
                                      {"content", json_text(text)},
                                      {"contentLength", text.size()},
                                      {"truncated", logs && found.log_truncated}});
}

Task<Answer<http::Response>> logs(Call call) { return describe(std::move(call), true); }
Task<Answer<http::Response>> events(Call call) { return describe(std::move(call), false); }

}  // namespace

void add_diagnostics(Routes& routes) {
  const std::string path = "/sandboxes/{id}/diagnostics";
  routes.lifecycle(Method::kGet, path + "/logs", "diagnostic_logs", Access::kReader, logs);
  routes.lifecycle(Method::kGet, path + "/events", "diagnostic_events", Access::kReader, events);
}

}  // namespace atl::api::opensandbox
