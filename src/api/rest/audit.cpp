// GET /audit: who did what, for admins.
#include <boost/json/array.hpp>

#include "api/common/text.hpp"
#include "api/rest/query.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"

namespace atl::api::rest {

namespace {

Answer<std::optional<model::Time>> query_time(const Call& call, std::string_view name) {
  auto text = call.request().find_query(name);
  if (!text) return std::optional<model::Time>();
  std::optional<model::Time> time = from_rfc3339(*text);
  if (!time) {
    return refuse(Code::kInvalidArgument, "the query parameter `" + std::string(name) +
                                              "` must be a time such as 2026-01-31T12:00:00Z");
  }
  return time;
}

Answer<model::AuditFilter> filter_of(const Call& call) {
  model::AuditFilter filter{
      .session_id = SessionId(std::string(call.request().query_value("session_id"))),
      .key_id = std::string(call.request().query_value("key_id"))};
  if (auto name = call.request().find_query("action")) {
    auto action = codec::decode_value<model::AuditAction>(boost::json::value(json_text(*name)));
    if (!action) return refuse(Code::kInvalidArgument, "action " + action.error().detail);
    filter.action = *action;
  }
  ATOLL_TRY(filter.since, query_time(call, "since"));
  ATOLL_TRY(filter.until, query_time(call, "until"));
  return filter;
}

Task<Answer<http::Response>> list_audit(Call call) {
  ATOLL_CO_CHECK(
      known_query(call, {"action", "session_id", "key_id", "since", "until", "limit", "cursor"}));
  ATOLL_CO_TRY(model::AuditFilter filter, filter_of(call));
  ATOLL_CO_TRY(model::Page page, query_page(call));
  std::size_t limit = page.limit++;  // one more tells whether there is another page
  ATOLL_CO_TRY(std::vector<model::AuditRow> rows,
               co_await call.control().audit().list(call.caller, std::move(filter), page));
  bodies::AuditListBody body;
  if (rows.size() > limit) {
    rows.resize(limit);
    body.next_cursor = rows.back().id;
  }
  for (const model::AuditRow& row : rows) body.audit.push_back(audit_view(row));
  co_return json_response(200, body);
}

}  // namespace

void add_audit(Routes& routes) {
  routes.add(http::Method::kGet, "/audit", "listAudit", Access::kAdmin, list_audit);
}

}  // namespace atl::api::rest
