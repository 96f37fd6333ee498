// Secrets: admins write and remove them, everybody in the tenant sees their names. No answer has a
// value in it.
#include "control/secrets.hpp"

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/routes.hpp"
#include "bodies/network.hpp"
#include "codec/base64.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

bodies::SecretBody view(const model::SecretInfo& info) {
  return {.name = info.name,
          .created_at = rfc3339(info.created_at),
          .updated_at = rfc3339(info.updated_at)};
}

Answer<std::string> value_of(bodies::PutSecretBody body) {
  if (body.value && body.value_b64) {
    return refuse_field("/value_b64", "is mutually exclusive with `value`");
  }
  if (!body.value && !body.value_b64) return refuse_field("/value", "is required");
  if (body.value) return std::move(*body.value);
  std::optional<std::string> bytes = codec::from_base64(*body.value_b64);
  if (!bytes) return refuse_value("/value_b64", "must be base64");
  return std::move(*bytes);
}

Task<Answer<http::Response>> put_secret(Call call) {
  ATOLL_CO_TRY(bodies::PutSecretBody body,
               co_await read_json<bodies::PutSecretBody>(call, kMaxSmallBody));
  ATOLL_CO_TRY(std::string value, value_of(std::move(body)));
  std::string name = call.request().capture("name");
  ATOLL_CO_TRY(control::Secrets::Put done,
               co_await call.control().secrets().put(call.caller, name, std::move(value)));
  http::Response response = json_response(done.made ? 201 : 200, view(done.info));
  if (done.made) response.headers.add("Location", "/api/v1/secrets/" + name);
  co_return response;
}

Task<Answer<http::Response>> list_secrets(Call call) {
  ATOLL_CO_TRY(std::vector<model::SecretInfo> rows,
               co_await call.control().secrets().list(call.caller));
  bodies::SecretListBody body;
  for (const model::SecretInfo& row : rows) body.secrets.push_back(view(row));
  co_return json_response(200, body);
}

Task<Answer<http::Response>> get_secret(Call call) {
  ATOLL_CO_TRY(model::SecretInfo row,
               co_await call.control().secrets().get(call.caller, call.request().capture("name")));
  co_return json_response(200, view(row));
}

Task<Answer<http::Response>> delete_secret(Call call) {
  ATOLL_CO_CHECK(
      co_await call.control().secrets().remove(call.caller, call.request().capture("name")));
  co_return no_content();
}

}  // namespace

void add_secrets(Routes& routes) {
  routes.add(Method::kGet, "/secrets", "listSecrets", Access::kReader, list_secrets);
  routes.add(Method::kPut, "/secrets/{name}", "putSecret", Access::kAdmin, put_secret);
  routes.add(Method::kGet, "/secrets/{name}", "getSecret", Access::kReader, get_secret);
  routes.add(Method::kDelete, "/secrets/{name}", "deleteSecret", Access::kAdmin, delete_secret);
}

}  // namespace atl::api::rest
