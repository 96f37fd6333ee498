// Executions that wait for a person: who asks what, and the decision.
#include <utility>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/rest/approval_view.hpp"
#include "api/rest/query.hpp"
#include "api/rest/routes.hpp"
#include "codec/json.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

Answer<model::ApprovalFilter> filter_of(const Call& call) {
  model::ApprovalFilter filter{.tenant = {}, .state = model::ApprovalState::kWaiting};
  filter.session_id = SessionId(std::string(call.request().query_value("session_id")));
  if (auto name = call.request().find_query("state")) {
    auto state = codec::decode_value<model::ApprovalState>(boost::json::value(json_text(*name)));
    if (!state) return refuse(Code::kInvalidArgument, "state " + state.error().detail);
    filter.state = *state;
  }
  return filter;
}

Task<Answer<http::Response>> list_approvals(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"state", "session_id", "limit", "cursor"}));
  ATOLL_CO_TRY(model::ApprovalFilter filter, filter_of(call));
  ATOLL_CO_TRY(model::Page page, query_page(call));
  std::size_t limit = page.limit++;  // one more tells whether there is another page
  ATOLL_CO_TRY(std::vector<model::ApprovalInfo> rows,
               co_await call.control().approvals().list(call.caller, std::move(filter), page));
  bodies::ApprovalListBody body;
  if (rows.size() > limit) {
    rows.resize(limit);
    body.next_cursor = rows.back().id.str();
  }
  for (const model::ApprovalInfo& row : rows) body.approvals.push_back(approval_view(row));
  co_return json_response(200, body);
}

Task<Answer<http::Response>> get_approval(Call call) {
  ATOLL_CO_TRY(model::Approval row,
               co_await call.control().approvals().get(call.caller, call.execution_id()));
  // Variables and input may be secrets: they are for whoever decides.
  co_return json_response(
      200, call.caller.may_approve() ? whole_approval_view(row) : approval_view(row));
}

Answer<control::ApprovalWish> to_wish(bodies::DecideApprovalBody body) {
  if (!body.decision) return refuse_field("/decision", "is required");
  if (*body.decision != "approve" && *body.decision != "reject") {
    return refuse_value("/decision", "must be approve or reject");
  }
  ATOLL_CHECK(check_text(body.reason, "/reason", control::Approvals::kMaxReason));
  ATOLL_CHECK(check_seconds(body.remember_seconds, "/remember_seconds"));
  control::ApprovalWish wish{.approve = *body.decision == "approve",
                             .reason = std::move(body.reason).value_or("")};
  if (body.remember_seconds) {
    wish.remember = std::chrono::seconds(static_cast<std::int64_t>(*body.remember_seconds));
  }
  return wish;
}

Task<Answer<http::Response>> decide_approval(Call call) {
  ATOLL_CO_TRY(bodies::DecideApprovalBody body,
               co_await read_json<bodies::DecideApprovalBody>(call, kMaxSmallBody));
  ATOLL_CO_TRY(control::ApprovalWish wish, to_wish(std::move(body)));
  ATOLL_CO_TRY(model::Approval row, co_await call.control().approvals().decide(
                                        call.caller, call.execution_id(), std::move(wish)));
  co_return json_response(200, whole_approval_view(row));
}

}  // namespace

void add_approvals(Routes& routes) {
  routes.add(Method::kGet, "/approvals", "listApprovals", Access::kReader, list_approvals);
  routes.add(Method::kGet, "/approvals/{id}", "getApproval", Access::kReader, get_approval);
  routes.add(Method::kPost, "/approvals/{id}", "decideApproval", Access::kWriter, decide_approval);
}

}  // namespace atl::api::rest
