// Secrets over REST: values go in and never come out.
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/task_group.hpp"
#include "observe/log.hpp"

namespace atl::api::rest::test {
namespace {

using model::Role;

constexpr const char* kSecrets = "/api/v1/secrets";
constexpr const char* kToken = "/api/v1/secrets/token";
constexpr const char* kValue = "hunter2-hunter2";

struct Said {
  std::string log;    // every line
  std::string reply;  // every answer
} said;

Task<Reply> put(Api* api, std::string path, std::string body, http::Headers who = {}) {
  Reply reply = co_await api->call(Method::kPut, std::move(path), std::move(body), who);
  said.reply += reply.body;
  co_return reply;
}

Task<void> life(Api* api) {
  Reply made = co_await put(api, kToken, R"({"value":"hunter2-hunter2"})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.at({"name"}), "token");
  Reply again = co_await put(api, kToken, R"({"value_b64":"/wA="})");
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(again.at({"created_at"}), made.at({"created_at"}));
  auto stored = co_await api->control->store().secret("default", "token");
  EXPECT_TRUE(stored.has_value());
  EXPECT_EQ(stored->value, std::string("\xff\0", 2));
  for (const char* path : {kSecrets, kToken}) {
    Reply shown = co_await api->call(Method::kGet, path);
    EXPECT_EQ(shown.status, 200);
    EXPECT_NE(shown.body.find("token"), shown.body.npos);
    said.reply += shown.body;
  }
  Reply gone = co_await api->call(Method::kDelete, kToken);
  EXPECT_EQ(gone.status, 204) << gone.body;
  for (Method method : {Method::kGet, Method::kDelete}) {
    Reply missing = co_await api->call(method, kToken);
    EXPECT_EQ(missing.status, 404) << missing.body;
  }
  Reply audit = co_await api->call(Method::kGet, "/api/v1/audit");
  EXPECT_EQ(audit.at({"audit", "0", "action"}), "secret_deleted") << audit.body;
  EXPECT_EQ(audit.at({"audit", "1", "action"}), "secret_set");
  EXPECT_EQ(audit.at({"audit", "1", "detail"}), "token");
  said.reply += audit.body;
}

Task<void> refusals(Api* api) {
  struct Case {
    const char* path;
    std::string body;
    int status;
    const char* at;
  };
  std::string large(65 * 1024, 'x');
  const Case cases[] = {
      {kToken, "{}", 400, "/value"},
      {kToken, R"({"value":"a","value_b64":"YQ=="})", 400, "/value_b64"},
      {kToken, R"({"value":7})", 400, "/value"},
      {kToken, R"({"secret":"a"})", 400, "/secret"},
      {kToken, R"({"value":""})", 422, "/value"},
      {kToken, R"({"value_b64":"!"})", 422, "/value_b64"},
      {kToken, R"({"value":")" + large + "\"}", 422, "/value"},
      {"/api/v1/secrets/-x", R"({"value":"a"})", 422, ""},
      {"/api/v1/secrets/a%2Fb", R"({"value":"a"})", 422, ""},
      {"/api/v1/secrets/a%20b", R"({"value":"a"})", 422, ""},
  };
  for (const Case& one : cases) {
    Reply reply = co_await put(api, one.path, one.body);
    EXPECT_EQ(reply.status, one.status) << one.path << reply.body;
    EXPECT_EQ(reply.at({"at"}), one.at) << reply.body;
  }
  Reply long_name =
      co_await put(api, "/api/v1/secrets/" + std::string(101, 'a'), R"({"value":"a"})");
  EXPECT_EQ(long_name.status, 422) << long_name.body;
  Reply listed = co_await api->call(Method::kGet, kSecrets);
  EXPECT_EQ(listed.at({"secrets"}), "[]");
}

Task<http::Headers> key_of(Api* api, std::string tenant, Role role) {
  auto made = co_await api->control->keys().create({}, {.tenant = tenant, .role = role});
  co_return http::Headers{{"X-API-Key", made->secret}};
}

Task<void> roles(Api* api) {
  http::Headers admin = co_await key_of(api, "one", Role::kAdmin);
  http::Headers user = co_await key_of(api, "one", Role::kUser);
  http::Headers other = co_await key_of(api, "two", Role::kAdmin);
  const std::string body = R"({"value":"a"})";
  Reply made = co_await put(api, kToken, body, admin);
  EXPECT_EQ(made.status, 201) << made.body;
  Reply refused = co_await put(api, kToken, body, user);
  EXPECT_EQ(refused.status, 403) << refused.body;
  Reply kept = co_await api->call(Method::kDelete, kToken, {}, user);
  EXPECT_EQ(kept.status, 403) << kept.body;
  Reply names = co_await api->call(Method::kGet, kSecrets, {}, user);
  EXPECT_EQ(names.at({"secrets", "0", "name"}), "token") << names.body;
  // Another tenant has names of its own.
  Reply none = co_await api->call(Method::kGet, kToken, {}, other);
  EXPECT_EQ(none.status, 404) << none.body;
  Reply own = co_await put(api, kToken, body, other);
  EXPECT_EQ(own.status, 201) << own.body;
  Reply gone = co_await api->call(Method::kDelete, kToken, {}, other);
  EXPECT_EQ(gone.status, 204) << gone.body;
  Reply stays = co_await api->call(Method::kGet, kToken, {}, admin);
  EXPECT_EQ(stays.status, 200) << stays.body;
}

Task<void> put_one(Api* api, std::string name, std::map<int, int>* statuses) {
  Reply reply = co_await put(api, std::string(kSecrets) + "/" + name, R"({"value":"a"})");
  ++(*statuses)[reply.status];
}

// Several at once for the last places, and one name twice.
Task<void> quota(Api* api) {
  control::Secrets& secrets = api->control->secrets();
  for (std::size_t i = 0; i + 2 < control::Secrets::kMaxOfTenant; ++i) {
    auto made = co_await secrets.put({}, "s" + std::to_string(i), "a");
    EXPECT_TRUE(made.has_value());
  }
  std::map<int, int> statuses;
  async::TaskGroup group(api->executor);
  for (const char* name : {"a", "a", "b", "c", "d"}) group.spawn(put_one(api, name, &statuses));
  co_await group.wait_idle();
  EXPECT_EQ(statuses[201] + statuses[200], 3);
  EXPECT_EQ(statuses[429], 2);
  Reply full = co_await put(api, std::string(kSecrets) + "/e", R"({"value":"a"})");
  EXPECT_EQ(full.at({"quota"}), "secrets") << full.body;
  Reply replaced = co_await put(api, std::string(kSecrets) + "/a", R"({"value":"b"})");
  EXPECT_EQ(replaced.status, 200) << replaced.body;
  Reply gone = co_await api->call(Method::kDelete, std::string(kSecrets) + "/a");
  EXPECT_EQ(gone.status, 204);
  Reply room = co_await put(api, std::string(kSecrets) + "/e", R"({"value":"a"})");
  EXPECT_EQ(room.status, 201) << room.body;
}

// covers: deleteSecret, getSecret, listSecrets, putSecret, C61
TEST(SecretRoutes, ValuesGoInAndNeverComeOut) {
  said = {};
  log::set_sink([](std::string_view line) { said.log.append(line); });
  log::set_level(log::Level::kDebug);
  with_api(life);
  log::set_level(log::Level::kOff);
  log::set_sink(nullptr);
  EXPECT_EQ(said.reply.find(kValue), std::string::npos) << said.reply;
  EXPECT_EQ(said.log.find(kValue), std::string::npos) << said.log;
  EXPECT_EQ(said.reply.find("value"), std::string::npos) << said.reply;
}
TEST(SecretRoutes, WrongOnesAreRefused) { with_api(refusals); }
TEST(SecretRoutes, AdminsWriteAndTenantsDoNotMeet) { with_api(roles, {.keys = true}); }
TEST(SecretRoutes, ATenantHasAThousand) { with_api(quota); }

}  // namespace
}  // namespace atl::api::rest::test
