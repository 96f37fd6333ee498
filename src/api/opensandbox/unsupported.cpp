// What their servers offer and this one does not: refused in their form, so that a client hears it
// instead of guessing. Their clients send figures after each create; nobody keeps them.
#include "api/opensandbox/call.hpp"

namespace atl::api::opensandbox {

namespace {

Task<Answer<http::Response>> drop_figures(Call call) {
  ATOLL_CO_CHECK(co_await read_text(call));
  co_return empty_response(204);
}

Task<Answer<http::Response>> health(Call /*call*/) {
  co_return json_response(200, object{{"status", "healthy"}});
}

Task<Answer<void>> no_templates(Call /*call*/) {
  co_return refuse(501, "not_supported",
                   "templates are made with the server's own API: POST /api/v1/templates");
}

Task<Answer<void>> no_pools(Call /*call*/) {
  co_return refuse(501, "not_supported",
                   "pools belong to templates here: see `pool` of a template");
}

Task<Answer<void>> no_vault(Call /*call*/) {
  co_return refuse(501, "not_supported",
                   "use the secrets of the server's own API: PUT /api/v1/secrets/{name}");
}

Task<Answer<void>> no_isolation(Call /*call*/) {
  co_return refuse(501, "not_supported",
                   "a sandbox has no sandboxes in it: create another one instead");
}

Task<Answer<void>> no_identities(Call /*call*/) {
  co_return refuse(501, "not_supported",
                   "uid and gid: files and programs of a sandbox have one user here");
}

Task<Answer<http::Response>> capabilities(Call call) {
  ATOLL_CO_CHECK(co_await call.control().sessions().check_alive(call.caller, call.session_id()));
  co_return json_response(200, object{{"available", false},
                                      {"isolator", ""},
                                      {"version", ""},
                                      {"message", "a sandbox has no sandboxes in it"},
                                      {"setpriv_available", false},
                                      {"userns_available", false},
                                      {"commit_supported", false},
                                      {"diff_supported", false}});
}

}  // namespace

void add_unsupported(Routes& routes) {
  routes.lifecycle(Method::kPost, "/metrics/events", "client_figures", Access::kReader,
                   drop_figures);
  routes.lifecycle(Method::kGet, "/health", "health", Access::kAnyone, health);
  routes.any("/v1/templates", "templates", Access::kReader, no_templates);
  routes.any("/v1/templates/{path...}", "templates_below", Access::kReader, no_templates);
  routes.any("/v1/pools", "pools", Access::kReader, no_pools);
  routes.any("/v1/pools/{path...}", "pools_below", Access::kReader, no_pools);
  const std::string vault = "/sandboxes/{id}/proxy/18080/credential-vault";
  routes.any(vault, "vault", Access::kReader, no_vault);
  routes.any(vault + "/{path...}", "vault_below", Access::kReader, no_vault);
  routes.execd(Method::kGet, "/v1/isolated/capabilities", "isolation", Access::kReader,
               capabilities);
  const std::string execd = "/sandboxes/{id}/proxy/44772/v1";
  routes.any(execd + "/isolated/{path...}", "isolated", Access::kReader, no_isolation);
  routes.any(execd + "/filesystem/{path...}", "identities", Access::kReader, no_identities);
}

}  // namespace atl::api::opensandbox
