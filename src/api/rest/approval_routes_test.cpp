// Approvals over REST: what is shown, who decides, and what bad requests get.
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "codec/json.hpp"

namespace atl::api::rest::test {
namespace {

using model::RiskAction;
using model::Role;

constexpr const char* kApprovals = "/api/v1/approvals";
constexpr const char* kApprove = R"({"decision":"approve","reason":"seen"})";

ApiWish asking(bool keys = false) {
  ApiWish wish;
  wish.keys = keys;
  wish.control.code.levels = {.high = RiskAction::kAsk, .critical = RiskAction::kAsk};
  return wish;
}

std::string path_of(const std::string& id) { return std::string(kApprovals) + "/" + id; }

Task<Reply> execute(Api* api, std::string session, std::string body, http::Headers more = {}) {
  co_return co_await api->call(Method::kPost, "/api/v1/sessions/" + session + "/execute",
                               std::move(body), std::move(more));
}

Task<std::string> ask(Api* api, std::string session, http::Headers more = {}) {
  more.set("Prefer", "wait=60");
  Reply asked = co_await execute(
      api, std::move(session),
      R"({"code":"eval 'echo ran $A'","language":"bash","env":{"A":"b"},"stdin":"in"})",
      std::move(more));
  EXPECT_EQ(asked.status, 202) << asked.body;
  EXPECT_EQ(asked.at({"state"}), "awaiting_approval") << asked.body;
  co_return asked.at({"execution_id"});
}

Task<Reply> until_ended(Api* api, std::string id) {
  for (;;) {
    Reply now = co_await api->call(Method::kGet, "/api/v1/executions/" + id);
    std::string state = now.at({"state"});
    if (state != "awaiting_approval" && state != "queued" && state != "running") co_return now;
  }
}

Task<void> shown(Api* api) {
  std::string session = co_await api->make_session();
  std::string id = co_await ask(api, session);
  Reply one = co_await api->call(Method::kGet, path_of(id));
  EXPECT_EQ(one.status, 200) << one.body;
  EXPECT_EQ(one.at({"state"}), "waiting");
  EXPECT_EQ(one.at({"level"}), "critical");
  EXPECT_EQ(one.at({"code"}), "eval 'echo ran $A'");
  EXPECT_EQ(one.at({"language"}), "bash");
  EXPECT_EQ(one.at({"env", "A"}), "b");
  EXPECT_EQ(one.at({"stdin"}), "in");
  EXPECT_EQ(one.at({"whole"}), "true");
  EXPECT_EQ(one.at({"findings", "0", "rule"}), "shell-eval");
  Reply listed = co_await api->call(Method::kGet, kApprovals);
  EXPECT_EQ(listed.at({"approvals", "0", "id"}), id) << listed.body;
  EXPECT_EQ(listed.at({"approvals", "0", "stdin"}), "");
  Reply status = co_await api->call(Method::kGet, "/api/v1/sessions/" + session);
  EXPECT_EQ(status.at({"status"}), "ready") << "nothing runs";
  Reply metrics = co_await api->call(Method::kGet, "/metrics");
  EXPECT_NE(metrics.body.find("approvals_waiting 1"), std::string::npos);
  Reply done = co_await api->call(Method::kPost, path_of(id), kApprove);
  EXPECT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(done.at({"state"}), "approved");
  EXPECT_EQ(done.at({"reason"}), "seen");
  Reply ended = co_await until_ended(api, id);
  EXPECT_EQ(ended.at({"stdout"}), "ran b\n") << ended.body;
  Reply waiting = co_await api->call(Method::kGet, kApprovals);
  EXPECT_EQ(waiting.at({"approvals"}), "[]");
  Reply over = co_await api->call(Method::kGet, std::string(kApprovals) + "?state=approved");
  EXPECT_EQ(over.at({"approvals", "0", "code"}), "eval 'echo ran $A'") << over.body;
  EXPECT_EQ(over.at({"approvals", "0", "whole"}), "false");
  Reply audit = co_await api->call(Method::kGet, "/api/v1/audit?action=approval_decided");
  EXPECT_EQ(audit.at({"audit", "0", "outcome"}), "approved") << audit.body;
  EXPECT_EQ(audit.at({"audit", "0", "detail"}), "seen");
}

// covers: listApprovals, getApproval, decideApproval
TEST(ApprovalRoutes, WhatWaitsIsShownAndApproved) { with_api(shown, asking()); }

Task<void> bad(Api* api) {
  std::string id = co_await ask(api, co_await api->make_session());
  for (const char* body : {"{}", R"({"decision":"yes"})", R"({"decision":"approve","x":1})",
                           R"({"decision":"approve","remember_seconds":0})",
                           R"({"decision":"approve","remember_seconds":86401})",
                           R"({"decision":"reject","remember_seconds":60})", "[]", "no"}) {
    Reply refused = co_await api->call(Method::kPost, path_of(id), body);
    EXPECT_TRUE(refused.status == 400 || refused.status == 422) << body << refused.body;
  }
  std::string long_reason = R"({"decision":"approve","reason":")" + std::string(1001, 'x') + "\"}";
  EXPECT_EQ((co_await api->call(Method::kPost, path_of(id), long_reason)).status, 422);
  EXPECT_EQ((co_await api->call(Method::kGet, path_of("none"))).status, 404);
  EXPECT_EQ((co_await api->call(Method::kPost, path_of("none"), kApprove)).status, 404);
  EXPECT_EQ((co_await api->call(Method::kGet, std::string(kApprovals) + "?state=x")).status, 400);
  EXPECT_EQ((co_await api->call(Method::kGet, std::string(kApprovals) + "?x=y")).status, 400);
  EXPECT_EQ((co_await api->call(Method::kDelete, path_of(id))).status, 405);
  Reply cancelled = co_await api->call(Method::kDelete, "/api/v1/executions/" + id);
  EXPECT_LT(cancelled.status, 300) << cancelled.body;
  Reply late = co_await api->call(Method::kPost, path_of(id), kApprove);
  EXPECT_EQ(late.status, 409) << late.body;
  EXPECT_EQ((co_await until_ended(api, id)).at({"state"}), "cancelled");
}

TEST(ApprovalRoutes, BadDecisionsChangeNothing) { with_api(bad, asking()); }

Task<http::Headers> key_of(Api* api, Role role, std::string tenant = "default") {
  auto made = co_await api->control->keys().create({}, {.tenant = tenant, .role = role});
  EXPECT_TRUE(made.has_value());
  http::Headers headers{{"X-API-Key", made->secret}};
  co_return headers;
}

Task<void> people(Api* api) {
  http::Headers owner = co_await key_of(api, Role::kOwner);
  http::Headers agent = co_await key_of(api, Role::kApprover);
  http::Headers user = co_await key_of(api, Role::kUser);
  http::Headers reader = co_await key_of(api, Role::kReadOnly);
  http::Headers other = co_await key_of(api, Role::kAdmin, "other");
  http::Headers approver = co_await key_of(api, Role::kApprover);
  Reply made = co_await api->call(Method::kPost, "/api/v1/sessions?wait=true",
                                  R"({"template_id":"shell-default"})", agent);
  std::string id = co_await ask(api, made.at({"id"}), agent);
  auto decide = [&](http::Headers who) {
    return api->call(Method::kPost, path_of(id), kApprove, std::move(who));
  };
  EXPECT_EQ((co_await decide(agent)).status, 403) << "it asked itself";
  EXPECT_EQ((co_await decide(user)).status, 403);
  EXPECT_EQ((co_await decide(reader)).status, 403);
  EXPECT_EQ((co_await decide(other)).status, 404);
  EXPECT_EQ((co_await api->call(Method::kGet, path_of(id), {}, other)).status, 404);
  Reply read = co_await api->call(Method::kGet, path_of(id), {}, reader);
  EXPECT_EQ(read.status, 200);
  EXPECT_EQ(read.at({"env"}), "{}") << "it is not for those who may not decide";
  EXPECT_EQ(read.at({"stdin"}), "");
  EXPECT_EQ((co_await decide({})).status, 401);
  Reply done = co_await decide(approver);
  EXPECT_EQ(done.status, 200) << done.body;
  EXPECT_EQ((co_await decide(owner)).status, 409) << "twice";
}

// covers: C64
TEST(ApprovalRoutes, RolesAndTenantsAreKeptApart) { with_api(people, asking(true)); }

Task<void> policies(Api* api) {
  http::Headers owner = co_await key_of(api, Role::kOwner);
  Reply key = co_await api->call(Method::kPost, "/api/v1/keys",
                                 R"({"role":"user","policy":{"high":"ask"}})", owner);
  EXPECT_EQ(key.at({"policy", "high"}), "ask") << key.body;
  http::Headers careful{{"X-API-Key", key.at({"secret"})}};
  Reply bad = co_await api->call(Method::kPost, "/api/v1/keys",
                                 R"({"role":"user","policy":{"high":"perhaps"}})", owner);
  EXPECT_EQ(bad.status, 422) << bad.body;
  Reply origin =
      co_await api->call(Method::kPost, "/api/v1/templates",
                         R"({"id":"t","language":"bash","policy":{"critical":"deny"}})", owner);
  EXPECT_EQ(origin.at({"policy", "critical"}), "deny") << origin.body;
  Reply made =
      co_await api->call(Method::kPost, "/api/v1/sessions", R"({"template_id":"t"})", owner);
  std::string session = made.at({"id"});
  Reply asked = co_await execute(api, session, R"({"command":"curl x"})", careful);
  EXPECT_EQ(asked.at({"state"}), "awaiting_approval") << asked.body;
  Reply denied = co_await execute(api, session, R"({"command":"eval x"})", careful);
  EXPECT_EQ(denied.status, 403) << denied.body;
}

TEST(ApprovalRoutes, KeysAndTemplatesHavePolicies) {
  ApiWish wish;
  wish.keys = true;
  with_api(policies, std::move(wish));
}

Task<void> one_call(Api* api) {
  Reply told = co_await api->call(
      Method::kPost, "/api/v1/run",
      R"({"template_id":"shell-default","code":"eval 'echo hi'","language":"bash"})");
  EXPECT_EQ(told.status, 202) << told.body;
  EXPECT_EQ(told.at({"state"}), "awaiting_approval");
  std::string id = told.at({"execution_id"});
  EXPECT_EQ((co_await api->call(Method::kPost, path_of(id), kApprove)).status, 200);
  EXPECT_EQ((co_await until_ended(api, id)).at({"stdout"}), "hi\n");
}

TEST(ApprovalRoutes, ARunAnswersThatItWaits) { with_api(one_call, asking()); }

}  // namespace
}  // namespace atl::api::rest::test
