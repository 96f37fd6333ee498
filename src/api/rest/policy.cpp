// POST /policy/check: how risky code looks, without running it.
#include "bodies/policy.hpp"

#include "api/rest/bodies.hpp"
#include "api/rest/routes.hpp"
#include "control/decide.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

Task<Answer<http::Response>> check_policy(Call call) {
  ATOLL_CO_TRY(bodies::PolicyCheckBody body,
               co_await read_json<bodies::PolicyCheckBody>(call, call.rest->options.body_bytes));
  if (!body.code) co_return refuse_field("/code", "is required");
  ATOLL_CO_TRY(policy::Judgement judgement, co_await call.control().decider().judge(
                                                std::move(*body.code), body.language.value_or("")));
  co_return json_response(200, judgement);
}

}  // namespace

void add_policy(Routes& routes) {
  routes.add(Method::kPost, "/policy/check", "checkPolicy", Access::kWriter, check_policy);
}

}  // namespace atl::api::rest
