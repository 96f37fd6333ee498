// Every route declares who may call it, the OpenAPI document agrees, and the server holds to it.
#include <gtest/gtest.h>

#include "api/rest/documents.hpp"
#include "api/rest/test_api.hpp"
#include "codec/json.hpp"

namespace atl::api::rest::test {
namespace {

using http::Access;
using model::Role;

// A path that the pattern takes: each parameter is "1", which is the id of nothing.
std::string sample_path(std::string pattern) {
  for (std::size_t open = 0; (open = pattern.find('{')) != pattern.npos;) {
    pattern.replace(open, pattern.find('}', open) - open + 1, "1");
  }
  return pattern;
}

std::string described_path(std::string pattern) {
  if (std::size_t dots = pattern.find("..."); dots != pattern.npos) pattern.erase(dots, 3);
  return pattern;
}

std::string lower_name(Method method) {
  std::string name(http::method_name(method));
  for (char& c : name) c = static_cast<char>(c | 0x20);
  return name;
}

void expect_declared(const http::Router& router) {
  auto document = codec::parse(openapi_json());
  const auto& paths = document->as_object().at("paths").as_object();
  ASSERT_FALSE(router.routes().empty());
  for (const auto& route : router.routes()) {
    SCOPED_TRACE(route->options.name);
    EXPECT_NE(route->options.access, Access::kUndeclared);
    ASSERT_TRUE(route->method.has_value());
    bool changes = *route->method != Method::kGet;
    EXPECT_TRUE(!changes || route->options.access >= Access::kWriter) << "for read-only keys";
    const auto& operation = paths.at(described_path(route->pattern))
                                .as_object()
                                .at(lower_name(*route->method))
                                .as_object();
    EXPECT_EQ(route->options.access == Access::kAnyone, operation.contains("security"));
  }
}

Task<http::Headers> key_of(Api* api, Role role) {
  auto made = co_await api->control->keys().create({}, {.role = role});
  EXPECT_TRUE(made.has_value());
  co_return http::Headers{{"X-API-Key", made->secret}};
}

// The keys that a route refuses get their refusal before anything else is looked at.
Task<void> walk(Api* api) {
  expect_declared(*api->router);
  http::Headers reads = co_await key_of(api, Role::kReadOnly);
  http::Headers user = co_await key_of(api, Role::kUser);
  http::Headers approver = co_await key_of(api, Role::kApprover);
  for (const auto& route : api->router->routes()) {
    SCOPED_TRACE(route->options.name);
    Access access = route->options.access;
    std::string path = sample_path(route->pattern);
    Reply stranger = co_await api->call(*route->method, path);
    EXPECT_EQ(stranger.status == 401, access != Access::kAnyone) << stranger.body;
    if (access == Access::kWriter || access == Access::kAdmin) {
      Reply refused = co_await api->call(*route->method, path, {}, reads);
      EXPECT_EQ(refused.status, 403) << refused.body;
    }
    if (access != Access::kAdmin) continue;
    for (const http::Headers* key : {&user, &approver}) {
      Reply refused = co_await api->call(*route->method, path, {}, *key);
      EXPECT_EQ(refused.status, 403) << refused.body;
    }
  }
}
TEST(Access, EveryRouteDeclaresItAndIsHeldToIt) { with_api(walk, {.keys = true}); }

Task<void> say_nothing(http::Exchange* exchange) {
  (void)co_await exchange->respond({.status = 204});
}

// Not by Api::call(), which holds answers against a document that does not know these routes.
Task<int> status_at(Api* api, std::string path) {
  auto response = co_await api->client->send({.method = Method::kGet, .target = std::move(path)});
  EXPECT_TRUE(response.has_value());
  co_return response ? response->status() : 0;
}

Task<void> add_undeclared(Api* api) {
  auto answer = [](http::Exchange& exchange) { return say_nothing(&exchange); };
  api->router->add(Method::kGet, "/silent", answer);
  api->router->add(Method::kGet, "/open", answer, {.access = Access::kAnyone});
  EXPECT_EQ(co_await status_at(api, "/silent"), 403);
  EXPECT_EQ(co_await status_at(api, "/open"), 204);
}
// Even the owner, which everybody is on a server without keys.
TEST(Access, RoutesWithoutADeclarationAreRefused) { with_api(add_undeclared); }

Task<void> ask_for_nothing(Api* api) {
  for (const char* path : {"/api/v1/nothing", "/health/x", "/%ff"}) {
    Reply hidden = co_await api->call(Method::kGet, path);
    EXPECT_EQ(hidden.status, 401) << path;
  }
  http::Headers reads = co_await key_of(api, Role::kReadOnly);
  Reply none = co_await api->call(Method::kPost, "/api/v1/nothing", {}, reads);
  EXPECT_EQ(none.status, 404) << none.body;
}
TEST(Access, PathsWithoutARouteNeedAKey) { with_api(ask_for_nothing, {.keys = true}); }

}  // namespace
}  // namespace atl::api::rest::test
