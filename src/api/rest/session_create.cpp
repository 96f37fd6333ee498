#include <memory>
#include <utility>

#include "api/limits.hpp"
#include "api/rest/sessions.hpp"
#include "api/rest/views.hpp"
#include "http/problem.hpp"

namespace atl::api::rest {

namespace {

using model::SessionState;

// Another tenant's snapshot is none.
Task<Answer<void>> check_snapshot(Call call, std::string id) {
  if (id.empty()) co_return Answer<void>();
  auto row = co_await call.control().store().snapshot(id);
  if (row && row->tenant == call.caller.tenant) co_return Answer<void>();
  if (!row && row.error().code() != Code::kNotFound) {
    co_return std::unexpected<Refusal>(std::move(row).error());
  }
  Refusal refusal(Error(Code::kNotFound, "there is no snapshot " + id));
  refusal.at = "/snapshot_id";
  co_return std::unexpected(std::move(refusal));
}

int status_of(const model::Session& session, const Creation& how) {
  return how.wait && session.state != SessionState::kCreating ? how.ready_status : 202;
}

http::Response session_response(int status, std::string body, const std::string& id,
                                const Creation& how) {
  http::Response response = json_text_response(status, std::move(body));
  response.headers.add("Location", "/api/v1/sessions/" + id);
  if (how.wait) response.headers.add("Preference-Applied", "wait");
  return response;
}

}  // namespace

Task<Answer<model::Session>> wait_until_ready(Call call, control::LiveSessionPtr session,
                                              async::Deadline deadline) {
  ATOLL_CO_TRY(model::Session row,
               co_await call.control().sessions().wait_ready(session, deadline));
  if (row.state == SessionState::kFailed) {
    Error why(http::code_from_name(row.error_code), row.error_message);
    co_return std::unexpected<Refusal>(std::move(why));
  }
  co_return row;
}

Task<Answer<http::Response>> create_and_answer(Call call, control::CreateRequest request, Once once,
                                               Creation how) {
  ATOLL_CO_CHECK(co_await check_snapshot(call, request.snapshot_id));
  KeepAnswer keep = keep_answer(call, once);
  // What is kept for a repeated request is what this one is told.
  auto said = std::make_shared<std::string>();
  auto extra = [keep, how, said](const model::Session& row) {
    *said = codec::serialize(session_view(row));
    return keep(status_of(row, how), *said, row.id.str());
  };
  auto created = co_await call.control().sessions().create(call.caller, std::move(request), extra);
  if (!created) co_return std::unexpected<Refusal>(std::move(created).error());
  model::Session row = created->session->row;
  bool kept = created->made && row.state != SessionState::kCreating;
  if (how.wait) {
    auto deadline = async::deadline_in(how.seconds.value_or(kCreateWait));
    ATOLL_CO_TRY(row, co_await wait_until_ready(call, created->session, deadline));
  }
  int status = created->made ? status_of(row, how) : 200;
  std::string body = created->made && !how.wait ? *said : codec::serialize(session_view(row));
  if (!kept && (how.wait || !created->made)) {
    ATOLL_CO_CHECK(co_await write_answer(call, keep, status, body, row.id.str()));
  }
  co_return session_response(status, std::move(body), row.id.str(), how);
}

}  // namespace atl::api::rest
