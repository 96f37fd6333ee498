#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "node/host_figures.hpp"

namespace atl::api::rest::test {
namespace {

Task<void> figures(Api* api) {
  for (const char* path : {"/health", "/api/v1/health", "/ready", "/api/v1/ready"}) {
    Reply reply = co_await api->call(Method::kGet, path);
    EXPECT_EQ(reply.status, 200) << path;
  }
  std::string session = co_await api->make_session();
  (void)co_await api->call(Method::kPost, "/api/v1/sessions/" + session + "/execute",
                           R"({"command":"true"})", {{"Prefer", "wait"}});
  Reply same = co_await api->call(Method::kGet, "/api/v1/metrics");
  EXPECT_EQ(same.status, 200);
  Reply metrics = co_await api->call(Method::kGet, "/metrics");
  for (const char* line :
       {"sessions_created_total 1\n", "sessions_active 1\n",
        "executions_total{status=\"completed\"} 1\n", "execution_duration_seconds_count 1\n",
        "session_create_duration_seconds_count 1\n", "runtime_nodes_healthy 1\n",
        "runtime_session_count{runtime=\"local\"} 1\n",
        "api_requests_total{operation=\"createSession\",method=\"POST\",status=\"201\"} 1\n"}) {
    EXPECT_NE(metrics.body.find(line), std::string::npos) << line << metrics.body;
  }
  Reply runtimes = co_await api->call(Method::kGet, "/api/v1/runtimes");
  EXPECT_EQ(runtimes.at({"runtimes", "0", "type"}), "fake") << runtimes.body;
  EXPECT_EQ(runtimes.at({"runtimes", "0", "resources", "session_count"}), "1");
  EXPECT_EQ(runtimes.at({"runtimes", "0", "resources", "memory_total"}),
            std::to_string(node::host_memory().total >> 20));
  Reply node = co_await api->call(Method::kGet, "/api/v1/runtimes/local/health");
  EXPECT_EQ(node.at({"health"}), "healthy") << node.body;
  Reply used = co_await api->call(Method::kGet, "/api/v1/runtimes/local/metrics");
  EXPECT_EQ(used.at({"session_count"}), "1");
  Reply none = co_await api->call(Method::kGet, "/api/v1/runtimes/none/health");
  EXPECT_EQ(none.status, 404);
  Reply backends = co_await api->call(Method::kGet, "/api/v1/backends");
  EXPECT_EQ(backends.at({"backends", "0", "name"}), "fake") << backends.body;
  EXPECT_EQ(backends.at({"default"}), "fake");
}

Task<void> events(Api* api) {
  http::ClientRequest request{.target = "/api/v1/events"};
  auto response = co_await api->client->send(std::move(request));
  EXPECT_TRUE(response && response->status() == 200);
  std::string session = co_await api->make_session();
  std::string seen;
  std::string buffer(4096, '\0');
  while (response && seen.find("session_ready") == seen.npos) {
    auto got = co_await response->read_some(std::span(buffer));
    if (!got || *got == 0) break;
    seen += buffer.substr(0, *got);
  }
  EXPECT_NE(seen.find("event: session_created"), seen.npos);
  EXPECT_NE(seen.find(session), seen.npos);
}

Task<void> templates(Api* api) {
  std::string body = R"({"id":"mine","name":"Mine","language":"bash","resources":{"memory":64}})";
  Reply made = co_await api->call(Method::kPost, "/api/v1/templates", body);
  EXPECT_EQ(made.status, 201) << made.body;
  Reply twice = co_await api->call(Method::kPost, "/api/v1/templates", body);
  EXPECT_EQ(twice.status, 409) << twice.body;
  Reply changed = co_await api->call(Method::kPut, "/api/v1/templates/mine",
                                     R"({"name":"Yours","language":"bash"})");
  EXPECT_EQ(changed.at({"name"}), "Yours") << changed.body;
  EXPECT_EQ(changed.at({"version"}), "2");
  Reply got = co_await api->call(Method::kGet, "/api/v1/templates/mine");
  EXPECT_EQ(got.body, changed.body);
  Reply listed = co_await api->call(Method::kGet, "/api/v1/templates");
  EXPECT_NE(listed.body.find("python-default"), std::string::npos);
  Reply backend = co_await api->call(Method::kPut, "/api/v1/templates/mine",
                                     R"({"name":"x","backend":"none"})");
  EXPECT_EQ(backend.status, 422) << backend.body;
  EXPECT_EQ(backend.at({"code"}), "unsupported_backend");
  Reply variable = co_await api->call(Method::kPut, "/api/v1/templates/mine",
                                      R"({"name":"x","env":{"A\nB":"x"}})");
  EXPECT_EQ(variable.status, 422) << variable.body;
  EXPECT_EQ(variable.at({"at"}), "/env/A\nB");
  for (std::string at : {"name", "description", "image", "language", "backend"}) {
    Reply nul = co_await api->call(Method::kPut, "/api/v1/templates/mine",
                                   R"({")" + at + R"(":"a\u0000"})");
    EXPECT_EQ(nul.status, 422) << nul.body;
    EXPECT_EQ(nul.at({"at"}), "/" + at);
  }
  Reply entry = co_await api->call(Method::kPut, "/api/v1/templates/mine",
                                   R"({"preload":["json","a\u0000"]})");
  EXPECT_EQ(entry.at({"at"}), "/preload/1");
  Reply unknown = co_await api->call(Method::kPut, "/api/v1/templates/mine", R"({"nam":"x"})");
  EXPECT_EQ(unknown.at({"at"}), "/nam");
  Reply gone = co_await api->call(Method::kDelete, "/api/v1/templates/mine");
  EXPECT_EQ(gone.status, 204) << gone.body;
  Reply built_in = co_await api->call(Method::kDelete, "/api/v1/templates/python-default");
  EXPECT_EQ(built_in.status, 409) << built_in.body;
}

Task<void> keys(Api* api) {
  auto made = co_await api->control->keys().create({}, {.role = model::Role::kOwner});
  EXPECT_TRUE(made.has_value());
  Reply nobody = co_await api->call(Method::kGet, "/api/v1/sessions");
  EXPECT_EQ(nobody.status, 401);
  EXPECT_EQ(nobody.headers.get("www-authenticate"), "Bearer");
  Reply open = co_await api->call(Method::kGet, "/openapi.json");
  EXPECT_EQ(open.status, 200);
  api->headers.set("Authorization", "Bearer " + made->secret);
  Reply reader =
      co_await api->call(Method::kPost, "/api/v1/keys", R"({"role":"read-only","name":"r"})");
  EXPECT_EQ(reader.status, 201) << reader.body;
  Reply stranger = co_await api->call(Method::kPost, "/api/v1/keys", R"({"tenant":"other"})");
  std::string session = "/api/v1/sessions/" + co_await api->make_session();
  Reply listed = co_await api->call(Method::kGet, "/api/v1/keys");
  EXPECT_EQ(listed.body.find(reader.at({"secret"})), std::string::npos);
  api->headers.clear();
  http::Headers as_reader{{"X-API-Key", reader.at({"secret"})}};
  http::Headers as_stranger{{"OPEN-SANDBOX-API-KEY", stranger.at({"secret"})}};
  Reply seen = co_await api->call(Method::kGet, session, {}, as_reader);
  EXPECT_EQ(seen.status, 200) << seen.body;
  Reply refused = co_await api->call(Method::kDelete, session, {}, as_reader);
  EXPECT_EQ(refused.status, 403) << refused.body;
  Reply proxied = co_await api->call(Method::kGet, session + "/proxy/80/", {}, as_reader);
  EXPECT_EQ(proxied.status, 403);
  Reply hidden = co_await api->call(Method::kGet, session, {}, as_stranger);
  EXPECT_EQ(hidden.status, 404);
  // The same words of two tenants are two things.
  for (const char* body : {R"({"template_id":"shell-default","session_key":"same"})",
                           R"({"template_id":"shell-default"})"}) {
    http::Headers mine{{"Authorization", "Bearer " + made->secret}, {"Idempotency-Key", body}};
    http::Headers theirs = as_stranger;
    theirs.set("Idempotency-Key", body);
    Reply one = co_await api->call(Method::kPost, "/api/v1/sessions", body, mine);
    Reply other = co_await api->call(Method::kPost, "/api/v1/sessions", body, theirs);
    EXPECT_EQ(other.status, 202) << other.body;
    EXPECT_NE(one.at({"id"}), other.at({"id"}));
  }
  Reply not_admin = co_await api->call(Method::kGet, "/api/v1/keys", {}, as_stranger);
  EXPECT_EQ(not_admin.status, 403);
  api->headers.set("Authorization", "Bearer " + made->secret);
  Reply revoked = co_await api->call(Method::kDelete, "/api/v1/keys/" + reader.at({"id"}));
  EXPECT_EQ(revoked.status, 204) << revoked.body;
  api->headers.clear();
  Reply late = co_await api->call(Method::kGet, session, {}, as_reader);
  EXPECT_EQ(late.status, 401);
}

Task<void> identities(Api* api) {
  Reply given = co_await api->call(Method::kGet, "/health", {}, {{"X-Request-Id", "mine-1"}});
  EXPECT_EQ(given.headers.get("x-request-id"), "mine-1");
  Reply bad = co_await api->call(Method::kGet, "/health", {}, {{"X-Request-Id", "no good"}});
  EXPECT_EQ(bad.headers.get("x-request-id").size(), 26u);
  Reply foreign =
      co_await api->call(Method::kGet, "/api/v1/sessions", {}, {{"Origin", "https://example.org"}});
  EXPECT_EQ(foreign.status, 403);
}

// The five calls of the platform's first client.
Task<void> aliases(Api* api) {
  Reply made = co_await api->call(Method::kPost, "/workspace/se/session",
                                  R"({"template_id":"python-default","timeout_seconds":60})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.at({"status"}), "ready");
  EXPECT_EQ(made.at({"config", "timeout_seconds"}), "60");
  std::string id = made.at({"id"});
  Reply code = co_await api->call(Method::kPost, "/workspace/se/execute_code/" + id,
                                  R"J({"code":"print('Hello')","timeout":30})J");
  EXPECT_EQ(code.at({"output"}), "Hello\n") << code.body;
  Reply command = co_await api->call(Method::kPost, "/workspace/se/execute/" + id,
                                     R"J({"command":"echo $((6*7))"})J");
  EXPECT_EQ(command.at({"stdout"}), "42\n") << command.body;
  Reply up = co_await api->call(Method::kPost, "/workspace/se/upload/" + id,
                                "--B\r\nContent-Disposition: form-data; name=\"file\"; "
                                "filename=\"d.txt\"\r\n\r\nd\r\n--B--\r\n",
                                {{"Content-Type", "multipart/form-data; boundary=B"}});
  EXPECT_EQ(up.status, 201) << up.body;
  Reply down = co_await api->call(Method::kGet, "/workspace/se/download/" + id + "/d.txt");
  EXPECT_EQ(down.body, "d");
}

// The session in the body, and an execution by the name of its result.
Task<void> flat_aliases(Api* api) {
  std::string id = co_await api->make_session();
  std::string body = R"({"session_id":")" + id + R"(","command":"echo hi"})";
  Reply ran = co_await api->call(Method::kPost, "/api/v1/execute", body, {{"Prefer", "wait"}});
  EXPECT_EQ(ran.status, 200) << ran.body;
  EXPECT_EQ(ran.at({"session_id"}), id);
  EXPECT_EQ(ran.at({"stdout"}), "hi\n");
  Reply begun = co_await api->call(Method::kPost, "/api/v1/execute", body);
  EXPECT_EQ(begun.status, 202) << begun.body;
  Reply execution =
      co_await api->call(Method::kGet, "/api/v1/executions/" + ran.at({"execution_id"}));
  for (const char* path : {"/api/v1/result/", "/api/v1/results/"}) {
    Reply result = co_await api->call(Method::kGet, path + ran.at({"execution_id"}));
    EXPECT_EQ(result.status, 200) << result.body;
    EXPECT_EQ(result.body, execution.body);
    Reply none = co_await api->call(Method::kGet, path + std::string("none"));
    EXPECT_EQ(none.status, 404) << none.body;
  }
  Reply nowhere = co_await api->call(Method::kPost, "/api/v1/execute", R"({"command":"true"})");
  EXPECT_EQ(nowhere.status, 400) << nowhere.body;
  EXPECT_EQ(nowhere.at({"at"}), "/session_id");
  Reply missing = co_await api->call(Method::kPost, "/api/v1/execute",
                                     R"({"session_id":"none","command":"true"})");
  EXPECT_EQ(missing.status, 404) << missing.body;
}

// covers: getBareHealth, getBareMetrics, getBareReady, getHealth, getMetrics, getReady
// covers: getRuntimeHealth, getRuntimeMetrics, listBackends, listRuntimes
TEST(ServerRoutes, HealthAndFigures) { with_api(figures); }
// covers: streamEvents
TEST(ServerRoutes, EventsAsTheyHappen) { with_api(events); }
// covers: getBareHealth
TEST(ServerRoutes, RequestIdsAndOrigins) { with_api(identities); }
// covers: createTemplate, deleteTemplate, getTemplate, listTemplates, replaceTemplate
TEST(TemplateRoutes, FromAddToRemove) { with_api(templates); }
// covers: createKey, getBareOpenapi, getSession, listKeys, revokeKey
// covers: C27, C33
TEST(KeyRoutes, RolesAndTenants) { with_api(keys, {.keys = true}); }
// covers: aliasCreateSession, aliasDownload, aliasExecute, aliasExecuteCode, aliasUpload
// covers: C32
TEST(AliasRoutes, TheFirstClient) { with_api(aliases); }
// covers: aliasExecuteInSession, aliasGetResult, aliasGetResults
TEST(AliasRoutes, SessionInTheBodyAndResultsById) { with_api(flat_aliases); }

}  // namespace
}  // namespace atl::api::rest::test
