// Network policies over REST. The fake backend stands for those that cannot enforce one.
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"

namespace atl::api::rest::test {
namespace {

using model::Role;

constexpr const char* kSessions = "/api/v1/sessions";

Task<http::Headers> key_of(Api* api, Role role) {
  auto made = co_await api->control->keys().create({}, {.role = role});
  co_return http::Headers{{"X-API-Key", made->secret}};
}

std::string with_network(std::string_view policy) {
  return R"({"template_id":"shell-default","config":{"network":)" + std::string(policy) + "}}";
}

// Whatever lets something through is refused: nobody here could hold a session to it.
Task<void> unsupported(Api* api) {
  for (const char* policy :
       {R"({"default":"allow"})", R"({"rules":[{"action":"allow","target":"example.org"}]})",
        R"({"preset":"pypi"})"}) {
    Reply refused = co_await api->call(Method::kPost, kSessions, with_network(policy));
    EXPECT_EQ(refused.status, 422) << policy << refused.body;
    EXPECT_EQ(refused.at({"code"}), "policy_unsupported") << refused.body;
  }
  std::string session = co_await api->make_session();
  std::string path = "/api/v1/sessions/" + session + "/network";
  Reply refused = co_await api->call(Method::kPut, path, R"({"default":"allow"})");
  EXPECT_EQ(refused.at({"code"}), "policy_unsupported") << refused.body;
  Reply same = co_await api->call(Method::kGet, path);
  EXPECT_EQ(same.at({"policy", "default"}), "deny") << same.body;
  EXPECT_EQ(same.at({"policy", "rules"}), "[]");
  EXPECT_EQ(same.json().at("figures"), nullptr);
}

// One that lets nothing through is what every session has.
Task<void> closed(Api* api) {
  const char* policy = R"({"rules":[{"action":"deny","target":"a.test","ports":[443,"80-90"]}],)"
                       R"("headers":{"a.test":{"X-Team":"blue"}}})";
  Reply made =
      co_await api->call(Method::kPost, kSessions, with_network(policy), {{"Prefer", "wait"}});
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.at({"config", "network", "rules", "0", "ports"}), R"([443,"80-90"])");
  std::string id = made.at({"id"});
  std::string path = "/api/v1/sessions/" + id;
  auto stored = co_await api->control->store().session(SessionId(id));
  EXPECT_TRUE(stored->config.network.has_value());
  Reply replaced = co_await api->call(Method::kPut, path + "/network",
                                      R"({"rules":[{"action":"deny","target":"b.test"}]})");
  EXPECT_EQ(replaced.status, 200) << replaced.body;
  EXPECT_EQ(replaced.at({"policy", "rules", "0", "target"}), "b.test");
  Reply shown = co_await api->call(Method::kGet, path);
  EXPECT_EQ(shown.at({"config", "network", "rules", "0", "target"}), "b.test") << shown.body;
  stored = co_await api->control->store().session(SessionId(id));
  EXPECT_EQ(stored->config.network->rules[0].target, "b.test");
  Reply audit = co_await api->call(Method::kGet, "/api/v1/audit?action=network_changed");
  EXPECT_EQ(audit.at({"audit", "0", "session_id"}), id) << audit.body;
  Reply gone = co_await api->call(Method::kDelete, path);
  EXPECT_EQ(gone.status, 204);
  Reply over = co_await api->call(Method::kPut, path + "/network", "{}");
  EXPECT_EQ(over.status, 409) << over.body;
  Reply last = co_await api->call(Method::kGet, path + "/network");
  EXPECT_EQ(last.at({"policy", "rules", "0", "target"}), "b.test") << last.body;
}

Task<void> faults(Api* api) {
  struct Case {
    const char* policy;
    int status;
    const char* at;
  };
  const Case cases[] = {
      {R"({"rules":[{"action":"allow","target":"a b"}]})", 422, "/config/network/rules/0/target"},
      {R"({"rules":[{"action":"allow","target":"a","ports":[0.5]}]})", 400,
       "/config/network/rules/0/ports/0"},
      {R"({"allow_private":["10.0.0.1/8"]})", 422, "/config/network/allow_private/0"},
      {R"({"preset":"pipy"})", 422, "/config/network/preset"},
      {R"({"secrets":[{"env":"A","secret":"none","hosts":["a.test"]}]})", 422, "/config/network"},
      {R"({"refuse_ech":true})", 400, "/config/network/refuse_ech"},
      {R"({"default":"maybe"})", 422, "/config/network/default"},
  };
  for (const Case& one : cases) {
    Reply reply = co_await api->call(Method::kPost, kSessions, with_network(one.policy));
    EXPECT_EQ(reply.status, one.status) << one.policy << reply.body;
    EXPECT_EQ(reply.at({"at"}), one.at) << reply.body;
  }
  Reply both = co_await api->call(Method::kPost, kSessions,
                                  R"({"config":{"network":{},"allow_network":false}})");
  EXPECT_EQ(both.status, 422) << both.body;
  EXPECT_EQ(both.at({"at"}), "/config/network");
  std::string many = R"({"rules":[{"action":"deny","target":"a"})";
  for (int i = 0; i < 10'000; ++i) many += R"(,{"action":"deny","target":"a"})";
  Reply large = co_await api->call(Method::kPost, kSessions, with_network(many + "]}"));
  EXPECT_EQ(large.status, 422) << large.body;
  EXPECT_EQ(large.at({"at"}), "/config/network/rules");
}

Task<void> templates(Api* api) {
  Reply both = co_await api->call(
      Method::kPost, "/api/v1/templates",
      R"({"id":"t","security":{"allow_network":true,"network":{"default":"allow"}}})");
  EXPECT_EQ(both.status, 422) << both.body;
  EXPECT_EQ(both.at({"at"}), "/security/network");
  Reply wrong = co_await api->call(Method::kPost, "/api/v1/templates",
                                   R"({"id":"t","security":{"network":{"preset":"x"}}})");
  EXPECT_EQ(wrong.at({"at"}), "/security/network/preset") << wrong.body;
  Reply made = co_await api->call(Method::kPost, "/api/v1/templates",
                                  R"({"id":"t","security":{"network":{"preset":"pypi"}}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.at({"security", "network", "rules", "0", "target"}), "packages.example.org");
  EXPECT_EQ(made.at({"security", "network", "preset"}), "");
  Reply refused = co_await api->call(Method::kPost, kSessions, R"({"template_id":"t"})");
  EXPECT_EQ(refused.at({"code"}), "policy_unsupported") << refused.body;
  Reply off = co_await api->call(Method::kPost, kSessions,
                                 R"({"template_id":"t","config":{"allow_network":false}})");
  EXPECT_EQ(off.status, 202) << off.body;
}

// Who may give a network to a session whose template has none.
Task<void> roles(Api* api) {
  http::Headers user = co_await key_of(api, Role::kUser);
  http::Headers admin = co_await key_of(api, Role::kAdmin);
  std::string body = with_network(R"({"rules":[{"action":"allow","target":"a.test"}]})");
  Reply forbidden = co_await api->call(Method::kPost, kSessions, body, user);
  EXPECT_EQ(forbidden.status, 403) << forbidden.body;
  Reply unsupported = co_await api->call(Method::kPost, kSessions, body, admin);
  EXPECT_EQ(unsupported.status, 422) << unsupported.body;
  Reply made = co_await api->call(Method::kPost, kSessions, with_network("{}"), user);
  EXPECT_EQ(made.status, 202) << made.body;
  std::string path = "/api/v1/sessions/" + made.at({"id"}) + "/network";
  Reply widened = co_await api->call(Method::kPut, path, R"({"default":"allow"})", user);
  EXPECT_EQ(widened.status, 403) << widened.body;
}

// A live session needs its secret again after a restart.
Task<void> used_secret(Api* api) {
  Reply secret = co_await api->call(Method::kPut, "/api/v1/secrets/token", R"({"value":"x"})");
  EXPECT_EQ(secret.status, 201) << secret.body;
  Reply made = co_await api->call(
      Method::kPost, kSessions,
      with_network(R"({"headers":{"a.test":{"Authorization":{"secret":"token"}}}})"));
  EXPECT_EQ(made.status, 202) << made.body;
  Reply kept = co_await api->call(Method::kDelete, "/api/v1/secrets/token");
  EXPECT_EQ(kept.status, 409) << kept.body;
  Reply over = co_await api->call(Method::kDelete, "/api/v1/sessions/" + made.at({"id"}));
  EXPECT_EQ(over.status, 204) << over.body;
  Reply gone = co_await api->call(Method::kDelete, "/api/v1/secrets/token");
  EXPECT_EQ(gone.status, 204) << gone.body;
}

Task<void> refusals(Api* api) {
  std::string session = co_await api->make_session();
  std::unique_ptr<control::EventStream> told = api->control->events().follow({}, "default");
  control::SessionNetwork& network = api->control->session_network();
  Result<model::Session> row = co_await api->control->sessions().get({}, SessionId(session));
  EXPECT_TRUE(row.has_value());
  if (!row) co_return;
  for (std::uint32_t i = 0; i < 2 * control::SessionNetwork::kToldPerMinute; ++i) {
    network.refused(row->sandbox_id, {.host = "a.test", .port = 443, .reason = "not allowed"});
  }
  network.refused(SandboxId("none"), {.host = "b.test", .port = 1, .reason = "not allowed"});
  api->control->events().publish({.event = "last", .tenant = "default"});
  std::uint32_t count = 0;
  for (;; ++count) {
    Result<std::optional<control::LifeEventPtr>> next = co_await told->next();
    if (!next || !*next) break;
    const control::LifeEventPtr& event = **next;
    if (event->event == "last") break;
    EXPECT_EQ(event->event, "network_refused");
    EXPECT_EQ(event->session_id, session);
    EXPECT_EQ(event->host, "a.test");
    EXPECT_EQ(event->port, 443);
    EXPECT_EQ(event->reason, "not allowed");
  }
  EXPECT_GE(count, 1u);
  EXPECT_LE(count, control::SessionNetwork::kToldPerMinute);
  // Written soon: whoever asks too early asks again.
  for (;;) {
    Reply audit = co_await api->call(Method::kGet, "/api/v1/audit?action=network_refused");
    if (audit.at({"audit"}) == "[]") continue;
    EXPECT_EQ(audit.at({"audit", "0", "detail"}), "a.test:443 not allowed") << audit.body;
    EXPECT_EQ(audit.at({"audit", "0", "session_id"}), session);
    break;
  }
}

ApiWish with_preset() {
  ApiWish wish;
  wish.control.network.presets["pypi"].rules = {
      {.action = model::NetworkAction::kAllow, .target = "packages.example.org", .ports = {}}};
  return wish;
}

// covers: getSessionNetwork, replaceSessionNetwork, C62
TEST(NetworkRoutes, WhatCannotBeEnforcedIsRefused) { with_api(unsupported, with_preset()); }
// covers: getSessionNetwork, replaceSessionNetwork
TEST(NetworkRoutes, APolicyIsKeptAndReplaced) { with_api(closed); }
TEST(NetworkRoutes, FaultsPointAtThePlace) { with_api(faults); }
TEST(NetworkRoutes, TemplatesHavePolicies) { with_api(templates, with_preset()); }
// covers: C62
TEST(NetworkRoutes, UsersStayWithinTheTemplate) { with_api(roles, {.keys = true}); }
TEST(NetworkRoutes, ASecretInUseStays) { with_api(used_secret); }
// covers: streamEvents
TEST(NetworkRoutes, RefusalsAreToldAndNotWithoutEnd) { with_api(refusals); }

}  // namespace
}  // namespace atl::api::rest::test
