// What envd answers besides calls and files: its health, figures, the variables of the sandbox.
#include "api/common/text.hpp"
#include "api/e2b/call.hpp"
#include "api/e2b/metrics.hpp"

namespace atl::api::e2b {

namespace {

Task<Answer<http::Response>> health(Call) { co_return no_content(); }

Task<Answer<http::Response>> metrics(Call call) {
  ATOLL_CO_TRY(model::Session row,
               co_await call.control().sessions().get(call.caller, call.sandbox));
  ATOLL_CO_TRY(Figures figures, co_await figures_of(call, std::move(row)));
  co_return json_response(200, envd_view(figures));
}

Task<Answer<http::Response>> envs(Call call) {
  ATOLL_CO_TRY(model::Session row,
               co_await call.control().sessions().get(call.caller, call.sandbox));
  object all;
  for (const auto& [name, text] : row.config.environment) all[json_text(name)] = json_text(text);
  co_return json_response(200, all);
}

// E2B's own machinery says by it what a sandbox begins with. Here the create does, so there is
// nothing to do; what it would change is refused.
Task<Answer<http::Response>> init(Call call) {
  ATOLL_CO_TRY(object body, co_await read_object(call));
  for (std::string_view name : {"envVars", "accessToken", "volumeMounts", "caBundle"}) {
    const value* found = body.if_contains(name);
    if (found != nullptr && !found->is_null()) {
      co_return refuse(501, "not_implemented",
                       std::string(name) + " of a sandbox is set when it is created");
    }
  }
  co_return no_content();
}

}  // namespace

void add_envd(Routes& routes) {
  routes.add(Method::kGet, "/health", "e2bHealth", Access::kReader, health);
  routes.add(Method::kGet, "/metrics", "e2bEnvdMetrics", Access::kReader, metrics);
  routes.add(Method::kGet, "/envs", "e2bEnvs", Access::kReader, envs);
  routes.add(Method::kPost, "/init", "e2bInit", Access::kWriter, init);
}

}  // namespace atl::api::e2b
