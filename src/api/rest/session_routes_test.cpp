#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"

namespace atl::api::rest::test {
namespace {

Task<void> life(Api* api) {
  Reply made = co_await api->call(Method::kPost, "/api/v1/sessions",
                                  R"({"template_id":"shell-default","labels":{"a":"b"}})");
  EXPECT_EQ(made.status, 202) << made.body;
  EXPECT_EQ(made.at({"id"}), made.at({"session_id"}));
  std::string path = "/api/v1/sessions/" + made.at({"id"});
  EXPECT_EQ(made.headers.get("location"), path);
  Reply ran = co_await api->call(Method::kPost, path + "/execute", R"({"command":"echo hi"})",
                                 {{"Prefer", "wait"}});
  EXPECT_EQ(ran.status, 200) << ran.body;
  EXPECT_EQ(ran.at({"stdout"}), "hi\n");
  EXPECT_EQ(ran.at({"exit_code"}), "0");
  EXPECT_EQ(ran.at({"success"}), "true");
  Reply got = co_await api->call(Method::kGet, path);
  EXPECT_EQ(got.at({"status"}), "ready") << got.body;
  EXPECT_EQ(got.at({"labels", "a"}), "b");
  Reply where = co_await api->call(Method::kPost, path + "/execute", R"({"command":["pwd","-P"]})",
                                   {{"Prefer", "wait"}});
  EXPECT_EQ(got.at({"workspace"}) + "\n", where.at({"stdout"})) << got.body;
  Reply status = co_await api->call(Method::kGet, path + "/status");
  EXPECT_EQ(status.at({"last_execution"}), where.at({"execution_id"}));
  Reply changed = co_await api->call(Method::kPatch, path, R"({"metadata":{"x":"y"}})");
  EXPECT_EQ(changed.at({"metadata", "x"}), "y") << changed.body;
  Reply renewed = co_await api->call(Method::kPost, path + "/renew", R"({"seconds":1000})");
  EXPECT_GT(renewed.at({"expires_at"}), got.at({"expires_at"})) << renewed.body;
  Reply processes = co_await api->call(Method::kGet, path + "/processes");
  EXPECT_EQ(processes.status, 200) << processes.body;
  Reply usage = co_await api->call(Method::kGet, path + "/usage");
  EXPECT_EQ(usage.status, 200) << usage.body;
  Reply gone = co_await api->call(Method::kDelete, path);
  EXPECT_EQ(gone.status, 204);
  Reply again = co_await api->call(Method::kDelete, path);
  EXPECT_EQ(again.status, 204);
  Reply ended = co_await api->call(Method::kGet, path);
  EXPECT_EQ(ended.at({"status"}), "terminated");
  EXPECT_EQ(ended.at({"workspace"}), "/workspace");
  Reply late = co_await api->call(Method::kPost, path + "/execute", R"({"command":"true"})");
  EXPECT_EQ(late.status, 409) << late.body;
}

// Any object; what it says comes back as it was.
Task<void> free_metadata(Api* api) {
  std::string metadata = R"({"run":7,"tags":["a",null,{"deep":true}],"ratio":0.5})";
  Reply made = co_await api->call(Method::kPost, "/api/v1/sessions",
                                  R"({"template_id":"shell-default","metadata":)" + metadata + "}");
  EXPECT_EQ(made.status, 202) << made.body;
  EXPECT_EQ(made.at({"metadata"}), metadata);
  std::string path = "/api/v1/sessions/" + made.at({"id"});
  std::string longest = R"({"x":")" + std::string((16u << 10) - 8, 'x') + R"("})";
  Reply changed = co_await api->call(Method::kPatch, path, R"({"metadata":)" + longest + "}");
  EXPECT_EQ(changed.status, 200) << changed.body;
  longest.insert(6, "x");
  Reply longer = co_await api->call(Method::kPatch, path, R"({"metadata":)" + longest + "}");
  EXPECT_EQ(longer.status, 422) << longer.body;
  EXPECT_EQ(longer.at({"at"}), "/metadata");
  Reply list = co_await api->call(Method::kPatch, path, R"({"metadata":["a"]})");
  EXPECT_EQ(list.status, 400) << list.body;
  (void)co_await api->call(Method::kPatch, path, R"({"metadata":)" + metadata + "}");
  (void)co_await api->call(Method::kDelete, path);
  Reply ended = co_await api->call(Method::kGet, path);  // from the store
  EXPECT_EQ(ended.at({"metadata"}), metadata) << ended.body;
  Reply label = co_await api->call(Method::kPost, "/api/v1/sessions", R"({"labels":{"a":7}})");
  EXPECT_EQ(label.status, 400) << label.body;
}

Task<void> pages(Api* api) {
  std::vector<std::string> ids;
  for (const char* label : {"one", "two", "two"}) {
    Reply made = co_await api->call(
        Method::kPost, "/api/v1/sessions",
        R"({"template_id":"shell-default","labels":{"l":")" + std::string(label) + R"("}})");
    ids.push_back(made.at({"id"}));
  }
  Reply first = co_await api->call(Method::kGet, "/api/v1/sessions?limit=2");
  EXPECT_EQ(first.at({"sessions", "0", "id"}), ids[2]) << first.body;
  EXPECT_EQ(first.at({"sessions", "1", "id"}), ids[1]);
  Reply second = co_await api->call(Method::kGet,
                                    "/api/v1/sessions?limit=2&cursor=" + first.at({"next_cursor"}));
  EXPECT_EQ(second.at({"sessions", "0", "id"}), ids[0]);
  EXPECT_EQ(second.at({"next_cursor"}), "");
  Reply labelled =
      co_await api->call(Method::kGet, "/api/v1/sessions?label=l%3Done&template=shell-default");
  EXPECT_EQ(labelled.at({"sessions", "0", "id"}), ids[0]) << labelled.body;
  EXPECT_EQ(labelled.at({"sessions", "1"}), "");
  Reply failed = co_await api->call(Method::kGet, "/api/v1/sessions?status=failed,terminated");
  EXPECT_EQ(failed.at({"sessions"}), "[]");
  for (const char* bad :
       {"limit=0", "limit=x", "status=happy", "label=x", "colour=red", "cursor=x"}) {
    Reply refused = co_await api->call(Method::kGet, "/api/v1/sessions?" + std::string(bad));
    EXPECT_EQ(refused.status, 400) << bad;
  }
}

Task<void> refusals(Api* api) {
  Reply packed =
      co_await api->call(Method::kPost, "/api/v1/sessions", "{}", {{"Content-Encoding", "gzip"}});
  EXPECT_EQ(packed.status, 415) << packed.body;
  struct Case {
    std::string body, type;
    int status;
    std::string code, at;
  };
  for (const Case& one : std::vector<Case>{
           {R"({"templat":"x"})", "application/json", 400, "invalid_argument", "/templat"},
           {"{", "application/json", 400, "invalid_argument", ""},
           {R"({"config":{"timeout_seconds":"x"}})", "application/json", 400, "invalid_argument",
            "/config/timeout_seconds"},
           {R"({"config":{"timeout_seconds":0}})", "application/json", 422, "invalid_value",
            "/config/timeout_seconds"},
           {R"({"config":{"timeout_seconds":-1}})", "application/json", 422, "invalid_value",
            "/config/timeout_seconds"},
           {R"({"config":{"resources":{"memory":99999}}})", "application/json", 422,
            "invalid_value", ""},
           {"{}", "text/plain", 415, "unsupported_media_type", ""},
           {R"({"template_id":"none"})", "application/json", 404, "not_found", ""},
           {R"({"snapshot_id":"none"})", "application/json", 404, "not_found", "/snapshot_id"},
           {std::string(2u << 20, ' '), "application/json", 413, "too_large", ""}}) {
    Reply refused = co_await api->call(Method::kPost, "/api/v1/sessions", one.body,
                                       {{"Content-Type", one.type}});
    EXPECT_EQ(refused.status, one.status) << refused.body;
    EXPECT_EQ(refused.at({"code"}), one.code) << refused.body;
    EXPECT_EQ(refused.at({"at"}), one.at) << refused.body;
    EXPECT_EQ(refused.headers.get("content-type"), "application/problem+json");
    EXPECT_EQ(refused.at({"request_id"}), refused.headers.get("x-request-id"));
  }
  Reply missing = co_await api->call(Method::kGet, "/api/v1/sessions/none");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.at({"code"}), "session_not_found");
  Reply method = co_await api->call(Method::kPut, "/api/v1/sessions", "{}");
  EXPECT_EQ(method.status, 405);
}

Task<void> repeated(Api* api) {
  http::Headers key{{"Idempotency-Key", "k1"}};
  std::string body = R"({"template_id":"shell-default"})";
  Reply first = co_await api->call(Method::kPost, "/api/v1/sessions", body, key);
  Reply second = co_await api->call(Method::kPost, "/api/v1/sessions", body, key);
  EXPECT_EQ(first.status, second.status);
  EXPECT_EQ(first.body, second.body);
  EXPECT_EQ(second.headers.get("idempotency-replayed"), "true");
  Reply other = co_await api->call(Method::kPost, "/api/v1/sessions", "{}", key);
  EXPECT_EQ(other.status, 422) << other.body;
  EXPECT_EQ(other.at({"code"}), "idempotency_mismatch");
  std::string path = "/api/v1/sessions/" + first.at({"id"}) + "/execute";
  std::string run = R"({"command":"date +%N"})";
  http::Headers once{{"Idempotency-Key", "k2"}, {"Prefer", "wait"}};
  Reply ran = co_await api->call(Method::kPost, path, run, once);
  Reply reran = co_await api->call(Method::kPost, path, run, once);
  EXPECT_EQ(ran.status, 200) << ran.body;
  EXPECT_EQ(ran.at({"execution_id"}), reran.at({"execution_id"})) << reran.body;
  EXPECT_EQ(ran.at({"stdout"}), reran.at({"stdout"}));
}

// A repeated request shows what became of the thing that the first one made.
Task<void> repeated_later(Api* api) {
  http::Headers key{{"Idempotency-Key", "k1"}};
  std::string body = R"({"template_id":"shell-default"})";
  Reply first = co_await api->call(Method::kPost, "/api/v1/sessions", body, key);
  std::string session = "/api/v1/sessions/" + first.at({"id"});
  http::Headers text{{"Idempotency-Key", "k2"}, {"Prefer", "wait"}, {"Accept", "text/plain"}};
  std::string run = R"({"command":"date +%N"})";
  Reply ran = co_await api->call(Method::kPost, session + "/execute", run, text);
  EXPECT_EQ(ran.status, 200) << ran.body;
  (void)co_await api->call(Method::kDelete, session);
  Reply again = co_await api->call(Method::kPost, "/api/v1/sessions", body, key);
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.at({"id"}), first.at({"id"}));
  EXPECT_EQ(again.at({"status"}), "terminated") << again.body;
  Reply reran = co_await api->call(Method::kPost, session + "/execute", run, text);
  EXPECT_EQ(reran.headers.get("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(reran.body, ran.body);
  key.set("Idempotency-Key", "k3");
  std::string origin = R"({"id":"mine","language":"bash"})";
  Reply made = co_await api->call(Method::kPost, "/api/v1/templates", origin, key);
  EXPECT_EQ(made.status, 201) << made.body;
  again = co_await api->call(Method::kPost, "/api/v1/templates", origin, key);
  EXPECT_EQ(again.body, made.body);
  EXPECT_EQ(again.headers.get("idempotency-replayed"), "true");
  (void)co_await api->call(Method::kDelete, "/api/v1/templates/mine");
  again = co_await api->call(Method::kPost, "/api/v1/templates", origin, key);
  EXPECT_EQ(again.status, 404) << again.body;
  EXPECT_EQ(again.at({"code"}), "not_found");
}

Task<void> keyed(Api* api) {
  std::string body = R"({"template_id":"shell-default","session_key":"chat:1"})";
  Reply first = co_await api->call(Method::kPost, "/api/v1/sessions", body);
  Reply second = co_await api->call(Method::kPost, "/api/v1/sessions", body, {{"Prefer", "wait"}});
  EXPECT_EQ(first.status, 202);
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(first.at({"id"}), second.at({"id"}));
  EXPECT_EQ(second.at({"session_key"}), "chat:1");
  EXPECT_EQ(second.at({"status"}), "ready");
}

// covers: changeSession, createSession, deleteSession, getSession, getSessionStatus
// covers: getSessionUsage, listProcesses, renewSession
TEST(SessionRoutes, FromCreateToDelete) { with_api(life); }
// covers: changeSession, createSession
TEST(SessionRoutes, MetadataIsAnyObject) { with_api(free_metadata); }
// covers: createSession, listSessions
TEST(SessionRoutes, ListsInPagesAndByFilter) { with_api(pages); }
// covers: C26
TEST(SessionRoutes, RefusesWithCodeAndPlace) { with_api(refusals); }
// covers: createSession
// covers: C29
TEST(SessionRoutes, IdempotencyKeyGivesTheSameAnswer) { with_api(repeated); }
// covers: C29
TEST(SessionRoutes, ARepeatedRequestShowsWhatBecameOfIt) { with_api(repeated_later); }
// covers: createSession
// covers: C12
TEST(SessionRoutes, SessionKeyGivesTheSameSession) { with_api(keyed); }

}  // namespace
}  // namespace atl::api::rest::test
