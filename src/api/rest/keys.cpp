// Keys: an admin manages those of its tenant, an owner all. A secret is in one answer only, that of
// the request that made it: the answer to a repeated request goes without.
#include <boost/json/array.hpp>

#include "api/common/limits.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

Task<Answer<http::Response>> create_key(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call, kMaxSmallBody));
  ATOLL_CO_TRY(CreateKeyBody body, decode_body<CreateKeyBody>(text));
  ATOLL_CO_TRY(control::Keys::Wish wish, to_request(std::move(body)));
  ATOLL_CO_TRY(control::Once once, co_await begin_once(call, std::move(text)));
  ATOLL_CO_TRY(control::NewKey made, co_await call.control().keys().create(
                                         call.caller, std::move(wish), std::move(once)));
  bodies::KeyBody view = key_view(made.key);
  if (!made.replayed) view.secret = made.secret;
  co_return mark_replayed(json_response(201, view), made.replayed);
}

Task<Answer<http::Response>> list_keys(Call call) {
  ATOLL_CO_CHECK(co_await call.control().keys().load());
  bodies::KeyListBody body;
  for (const model::Key& key : call.control().keys().list(call.caller)) {
    body.keys.push_back(key_view(key));
  }
  co_return json_response(200, body);
}

Task<Answer<http::Response>> revoke_key(Call call) {
  ATOLL_CO_CHECK(co_await call.control().keys().revoke(call.caller, call.request().capture("id")));
  co_return no_content();
}

}  // namespace

void add_keys(Routes& routes) {
  routes.add(Method::kPost, "/keys", "createKey", Access::kAdmin, create_key);
  routes.add(Method::kGet, "/keys", "listKeys", Access::kAdmin, list_keys);
  routes.add(Method::kDelete, "/keys/{id}", "revokeKey", Access::kAdmin, revoke_key);
}

}  // namespace atl::api::rest
