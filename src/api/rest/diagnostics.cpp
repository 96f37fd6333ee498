// GET /sessions/{id}/diagnostics: what is known of a session that went wrong.
#include "control/diagnostics.hpp"

#include <utility>

#include "api/common/text.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"

namespace atl::api::rest {

namespace {

Task<Answer<http::Response>> get_diagnostics(Call call) {
  ATOLL_CO_TRY(control::SessionDiagnostics found,
               co_await call.control().diagnostics().get(call.caller, call.session_id()));
  const model::Session& session = found.session;
  bodies::DiagnosticsBody body{.session_id = session.id.str(),
                               .status = session.state,
                               .error_code = text_or_null(session.error_code),
                               .error_message = text_or_null(session.error_message),
                               .ended_at = time_or_null(session.ended_at),
                               .log = std::move(found.log),
                               .log_truncated = found.log_truncated};
  for (const model::Execution& row : found.executions) {
    bodies::DiagnosedExecutionBody one{.execution_id = row.id.str(),
                                       .state = row.state,
                                       .error_code = text_or_null(row.error_code),
                                       .error_message = text_or_null(row.error_message),
                                       .created_at = rfc3339(row.created_at),
                                       .ended_at = time_or_null(row.ended_at)};
    if (row.exit_code) one.exit_code = *row.exit_code;
    body.executions.push_back(std::move(one));
  }
  for (const model::AuditRow& row : found.events) body.events.push_back(audit_view(row));
  co_return json_response(200, body);
}

}  // namespace

void add_diagnostics(Routes& routes) {
  routes.add(http::Method::kGet, "/sessions/{id}/diagnostics", "getDiagnostics", Access::kReader,
             get_diagnostics);
}

}  // namespace atl::api::rest
