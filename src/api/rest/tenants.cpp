// GET and PUT /tenants/{id}: what a tenant may use, and what it uses.
#include "control/tenants.hpp"

#include "api/common/limits.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/routes.hpp"
#include "bodies/tenant.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

http::Response answer(const control::Tenants::View& view) {
  const control::TenantUse& use = view.use;
  return json_response(200,
                       bodies::TenantBody{.id = view.row.id,
                                          .quotas = view.row.quotas,
                                          .usage = {.sessions = use.sessions,
                                                    .executions = use.executions,
                                                    .cpu = use.cpu,
                                                    .memory_mb = use.memory_mb,
                                                    .disk_mb = use.disk_mb,
                                                    .executions_per_day = use.day_executions}});
}

Task<Answer<http::Response>> get_tenant(Call call) {
  ATOLL_CO_TRY(control::Tenants::View view,
               co_await call.control().tenants().get(call.caller, call.request().capture("id")));
  co_return answer(view);
}

Task<Answer<http::Response>> put_tenant(Call call) {
  ATOLL_CO_TRY(bodies::PutTenantBody body,
               co_await read_json<bodies::PutTenantBody>(call, kMaxSmallBody));
  if (!body.quotas) co_return refuse_field("/quotas", "is required");
  ATOLL_CO_TRY(control::Tenants::View view,
               co_await call.control().tenants().put(call.caller, call.request().capture("id"),
                                                     *body.quotas));
  co_return answer(view);
}

}  // namespace

void add_tenants(Routes& routes) {
  routes.add(Method::kGet, "/tenants/{id}", "getTenant", Access::kReader, get_tenant);
  routes.add(Method::kPut, "/tenants/{id}", "putTenant", Access::kAdmin, put_tenant);
}

}  // namespace atl::api::rest
