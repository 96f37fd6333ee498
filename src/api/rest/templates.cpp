#include <utility>

#include "api/common/limits.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/network_bodies.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"

namespace atl::api::rest {

namespace {

using bodies::TemplateSpecBody;
using control::TemplatePtr;
using http::Method;

Answer<void> check_list(const std::vector<std::string>& list, const std::string& at) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    ATOLL_CHECK(check_text(list[i], at + "/" + std::to_string(i)));
  }
  return {};
}

// What control cannot say, or not by the name of the field.
Answer<void> check_body(const Call& call, const TemplateSpecBody& body) {
  ATOLL_CHECK(check_environment(body.env, "/env"));
  ATOLL_CHECK(check_text(body.id, "/id"));
  ATOLL_CHECK(check_text(body.name, "/name"));
  ATOLL_CHECK(check_text(body.description, "/description"));
  ATOLL_CHECK(check_text(body.backend, "/backend"));
  ATOLL_CHECK(check_text(body.image, "/image"));
  ATOLL_CHECK(check_text(body.language, "/language"));
  ATOLL_CHECK(check_list(body.security.allowed_domains, "/security/allowed_domains"));
  ATOLL_CHECK(check_list(body.preinstalled_packages, "/preinstalled_packages"));
  ATOLL_CHECK(check_list(body.preload, "/preload"));
  const sandbox::Registry* registry = call.rest->options.registry;
  if (!body.backend || registry == nullptr) return {};
  ATOLL_CHECK(registry->get(*body.backend));
  return {};
}

// With the rules of a preset: what the configuration says later is for later templates.
Answer<model::TemplateSpec> spec_of(const Call& call, TemplateSpecBody body) {
  model::TemplateSpec spec;
  if (body.security.network) {
    ATOLL_TRY(control::NetworkRequest request,
              to_request(std::move(*body.security.network), "/security/network"));
    ATOLL_TRY(spec.security.network, call.control().network_policies().settle(std::move(request)));
  }
  spec.name = std::move(body.name);
  spec.description = std::move(body.description);
  spec.backend = std::move(body.backend);
  spec.image = std::move(body.image);
  spec.language = std::move(body.language);
  spec.resources = body.resources;
  spec.security.allow_network = body.security.allow_network;
  spec.security.allowed_domains = std::move(body.security.allowed_domains);
  spec.security.read_only_filesystem = body.security.read_only_filesystem;
  spec.env = std::move(body.env);
  spec.preinstalled_packages = std::move(body.preinstalled_packages);
  spec.preload = std::move(body.preload);
  spec.pool = body.pool;
  spec.ttl = body.ttl;
  spec.policy = body.policy;
  return spec;
}

Task<Answer<http::Response>> create_template(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call, kMaxSmallBody));
  ATOLL_CO_TRY(TemplateSpecBody body, decode_body<TemplateSpecBody>(text));
  if (!body.id) co_return refuse_field("/id", "is required");
  ATOLL_CO_CHECK(check_body(call, body));
  std::string id = *body.id;
  ATOLL_CO_TRY(model::TemplateSpec spec, spec_of(call, std::move(body)));
  ATOLL_CO_TRY(control::Once once, co_await begin_once(call, std::move(text)));
  ATOLL_CO_TRY(
      control::Outcome<TemplatePtr> made,
      co_await call.control().templates().add(call.caller, id, std::move(spec), std::move(once)));
  http::Response response = json_response(201, template_view(*made.value));
  response.headers.add("Location", "/api/v1/templates/" + id);
  co_return mark_replayed(std::move(response), made.replayed);
}

Task<Answer<http::Response>> list_templates(Call call) {
  bodies::TemplateListBody body;
  for (const TemplatePtr& found : call.control().templates().list(call.caller)) {
    body.templates.push_back(template_view(*found));
  }
  co_return json_response(200, body);
}

Task<Answer<http::Response>> get_template(Call call) {
  ATOLL_CO_TRY(TemplatePtr found,
               call.control().templates().find(call.caller, call.request().capture("id")));
  co_return json_response(200, template_view(*found));
}

Task<Answer<http::Response>> replace_template(Call call) {
  ATOLL_CO_TRY(TemplateSpecBody body, co_await read_json<TemplateSpecBody>(call, kMaxSmallBody));
  ATOLL_CO_CHECK(check_body(call, body));
  std::string id = call.request().capture("id");
  if (body.id && *body.id != id) co_return refuse_value("/id", "is not the one of the path");
  ATOLL_CO_TRY(model::TemplateSpec spec, spec_of(call, std::move(body)));
  ATOLL_CO_TRY(TemplatePtr made,
               co_await call.control().templates().replace(call.caller, id, std::move(spec)));
  co_return json_response(200, template_view(*made));
}

Task<Answer<http::Response>> delete_template(Call call) {
  ATOLL_CO_CHECK(
      co_await call.control().templates().remove(call.caller, call.request().capture("id")));
  co_return no_content();
}

}  // namespace

void add_templates(Routes& routes) {
  routes.add(Method::kPost, "/templates", "createTemplate", Access::kAdmin, create_template);
  routes.add(Method::kGet, "/templates", "listTemplates", Access::kReader, list_templates);
  routes.add(Method::kGet, "/templates/{id}", "getTemplate", Access::kReader, get_template);
  routes.add(Method::kPut, "/templates/{id}", "replaceTemplate", Access::kAdmin, replace_template);
  routes.add(Method::kDelete, "/templates/{id}", "deleteTemplate", Access::kAdmin, delete_template);
}

}  // namespace atl::api::rest
