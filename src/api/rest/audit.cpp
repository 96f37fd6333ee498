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

bodies::AuditHeadBody head_view(const model::AuditHead& head) {
  return {.chain = head.chain,
          .seq = head.seq,
          .hash = head.hash,
          .removed_seq = head.removed_seq,
          .removed_hash = head.removed_hash};
}

Answer<std::int64_t> query_number(const Call& call, std::string_view name, std::int64_t most) {
  auto text = call.request().find_query(name);
  if (!text) return name == "limit" ? most : 0;
  std::optional<std::uint64_t> number = to_number(*text);
  if (!number || *number > static_cast<std::uint64_t>(most)) {
    return refuse(Code::kInvalidArgument, "the query parameter `" + std::string(name) +
                                              "` must be a number up to " + std::to_string(most));
  }
  return static_cast<std::int64_t>(*number);
}

// The rows as they are linked, for whoever keeps a copy that can be checked without the server.
Task<Answer<http::Response>> list_chain(Call call) {
  constexpr std::int64_t kMostRows = 1000;
  ATOLL_CO_CHECK(known_query(call, {"chain", "after", "limit"}));
  ATOLL_CO_TRY(std::int64_t after, query_number(call, "after", INT64_MAX));
  ATOLL_CO_TRY(std::int64_t limit, query_number(call, "limit", kMostRows));
  ATOLL_CO_TRY(std::vector<model::AuditHead> heads,
               co_await call.control().audit().heads(call.caller));
  bodies::AuditChainBody body;
  for (const model::AuditHead& head : heads) body.heads.push_back(head_view(head));
  std::string chain(call.request().query_value("chain"));
  if (chain.empty() && !heads.empty()) chain = heads.front().chain;
  ATOLL_CO_TRY(std::vector<model::AuditRow> rows,
               co_await call.control().audit().chain(call.caller, std::move(chain), after,
                                                     static_cast<std::size_t>(limit)));
  for (const model::AuditRow& row : rows) body.audit.push_back(audit_view(row));
  co_return json_response(200, body);
}

Task<Answer<http::Response>> verify_audit(Call call) {
  ATOLL_CO_TRY(control::AuditVerdict verdict, co_await call.control().audit().verify(call.caller));
  bodies::AuditVerdictBody body{
      .ok = verdict.broken_chain.empty(), .rows = verdict.rows, .heads = {}, .broken = {}};
  for (const model::AuditHead& head : verdict.heads) body.heads.push_back(head_view(head));
  if (!body.ok) {
    body.broken = bodies::AuditBreakBody{.chain = verdict.broken_chain,
                                         .seq = verdict.broken_seq,
                                         .id = text_or_null(verdict.broken_id),
                                         .reason = verdict.reason};
  }
  co_return json_response(200, body);
}

}  // namespace

void add_audit(Routes& routes) {
  routes.add(http::Method::kGet, "/audit/chain", "listAuditChain", Access::kAdmin, list_chain);
  routes.add(http::Method::kGet, "/audit/verify", "verifyAudit", Access::kAdmin, verify_audit);
  routes.add(http::Method::kGet, "/audit", "listAudit", Access::kAdmin, list_audit);
}

}  // namespace atl::api::rest
