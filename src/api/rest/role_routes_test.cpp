// Who manages what: an owner the server, an admin its tenant, and nobody sees another tenant's.
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "observe/log.hpp"

namespace atl::api::rest::test {
namespace {

using model::Role;

constexpr const char* kKeys = "/api/v1/keys";
constexpr const char* kSessions = "/api/v1/sessions";

struct Person {
  std::string key_id;
  http::Headers headers;
};

Task<Person> person(Api* api, std::string tenant, Role role) {
  auto made = co_await api->control->keys().create({}, {.tenant = tenant, .role = role});
  EXPECT_TRUE(made.has_value());
  co_return Person{made->key.id, {{"X-API-Key", made->secret}}};
}

Task<Reply> get(Api* api, std::string path, const Person* who) {
  co_return co_await api->call(Method::kGet, std::move(path), {}, who->headers);
}
Task<Reply> post(Api* api, std::string path, std::string body, const Person* who) {
  co_return co_await api->call(Method::kPost, std::move(path), std::move(body), who->headers);
}
Task<Reply> drop(Api* api, std::string path, const Person* who) {
  co_return co_await api->call(Method::kDelete, std::move(path), {}, who->headers);
}

Task<void> first_key(Api* api) {
  auto first = co_await api->control->keys().create({}, {});
  EXPECT_EQ(first->key.role, Role::kOwner);
  auto second = co_await api->control->keys().create({}, {});
  EXPECT_EQ(second->key.role, Role::kUser);
  auto approver = co_await api->control->keys().create({}, {.role = Role::kApprover});
  Person asks{approver->key.id, {{"X-API-Key", approver->secret}}};
  Reply made = co_await post(api, kSessions, R"({"template_id":"shell-default"})", &asks);
  EXPECT_EQ(made.status, 202) << made.body;
  Reply keys = co_await get(api, kKeys, &asks);
  EXPECT_EQ(keys.status, 403);
  for (std::string bad : {std::string(101, 'x'), std::string("a\nb"), std::string("\xff")}) {
    auto refused = co_await api->control->keys().create({}, {.tenant = bad});
    EXPECT_EQ(refused.error().code(), Code::kInvalidValue);
  }
}

Task<void> admins(Api* api) {
  Person owner = co_await person(api, "default", Role::kOwner);
  Person admin = co_await person(api, "default", Role::kAdmin);
  Person other = co_await person(api, "other", Role::kAdmin);
  // Its own tenant is what it gets without asking, and all that it may ask for.
  Reply made = co_await post(api, kKeys, R"({"role":"user"})", &other);
  EXPECT_EQ(made.at({"tenant"}), "other") << made.body;
  Reply equal = co_await post(api, kKeys, R"({"role":"admin"})", &other);
  EXPECT_EQ(equal.status, 201) << equal.body;
  for (const char* body : {R"({"role":"owner"})", R"({"role":"owner","tenant":"other"})",
                           R"({"role":"user","tenant":"default"})"}) {
    Reply refused = co_await post(api, kKeys, body, &other);
    EXPECT_EQ(refused.status, 403) << body << refused.body;
  }
  Reply raised = co_await post(api, kKeys, R"({"role":"owner"})", &admin);
  EXPECT_EQ(raised.status, 403) << raised.body;
  // It sees the keys of its tenant, and an owner all.
  Reply seen = co_await get(api, kKeys, &other);
  EXPECT_EQ(seen.json().at("keys").as_array().size(), 3u) << seen.body;
  EXPECT_EQ(seen.body.find(admin.key_id), std::string::npos);
  Reply all = co_await get(api, kKeys, &owner);
  EXPECT_EQ(all.json().at("keys").as_array().size(), 5u) << all.body;
  // Keys of others are none; an owner's is not an admin's to revoke.
  Reply unknown = co_await drop(api, "/api/v1/keys/" + admin.key_id, &other);
  EXPECT_EQ(unknown.status, 404) << unknown.body;
  Reply owners = co_await drop(api, "/api/v1/keys/" + owner.key_id, &admin);
  EXPECT_EQ(owners.status, 403) << owners.body;
  Reply own = co_await drop(api, "/api/v1/keys/" + made.at({"id"}), &other);
  EXPECT_EQ(own.status, 204) << own.body;
  Reply by_owner = co_await drop(api, "/api/v1/keys/" + equal.at({"id"}), &owner);
  EXPECT_EQ(by_owner.status, 204) << by_owner.body;
}

// An owner reaches everything of a tenant by naming it.
Task<void> acting_for_a_tenant(Api* api) {
  Person owner = co_await person(api, "default", Role::kOwner);
  Person other = co_await person(api, "other", Role::kAdmin);
  Reply made = co_await post(api, kSessions, R"({"template_id":"shell-default"})", &other);
  std::string session = "/api/v1/sessions/" + made.at({"id"});
  Reply hidden = co_await get(api, session, &owner);
  EXPECT_EQ(hidden.status, 404) << hidden.body;
  Person acting = owner;
  acting.headers.set("Atoll-Tenant", "other");
  Reply seen = co_await get(api, session, &acting);
  EXPECT_EQ(seen.status, 200) << seen.body;
  Reply keys = co_await get(api, kKeys, &acting);
  EXPECT_EQ(keys.json().at("keys").as_array().size(), 1u) << keys.body;
  Reply gone = co_await drop(api, session, &acting);
  EXPECT_EQ(gone.status, 204) << gone.body;
  // It is told to the tenant who did it.
  Reply audit = co_await get(api, "/api/v1/audit?action=session_deleted", &other);
  EXPECT_EQ(audit.at({"audit", "0", "key_id"}), owner.key_id) << audit.body;
  other.headers.set("Atoll-Tenant", "default");
  Reply refused = co_await get(api, kSessions, &other);
  EXPECT_EQ(refused.status, 403) << refused.body;
  acting.headers.set("Atoll-Tenant", "");
  Reply nobody = co_await get(api, kSessions, &acting);
  EXPECT_EQ(nobody.status, 400) << nobody.body;
}

Task<void> templates(Api* api) {
  Person owner = co_await person(api, "default", Role::kOwner);
  Person one = co_await person(api, "one", Role::kAdmin);
  Person two = co_await person(api, "two", Role::kAdmin);
  const std::string path = "/api/v1/templates/";
  Reply mine = co_await post(api, "/api/v1/templates", R"({"id":"mine","language":"bash"})", &one);
  EXPECT_EQ(mine.at({"tenant"}), "one") << mine.body;
  Reply server = co_await post(api, "/api/v1/templates", R"({"id":"all"})", &owner);
  EXPECT_EQ(server.json().at("tenant"), nullptr) << server.body;
  Reply hidden = co_await get(api, path + "mine", &two);
  EXPECT_EQ(hidden.status, 404) << hidden.body;
  Reply listed = co_await get(api, "/api/v1/templates", &two);
  EXPECT_EQ(listed.body.find("\"mine\""), std::string::npos);
  EXPECT_NE(listed.body.find("\"all\""), std::string::npos);
  Reply unusable = co_await post(api, kSessions, R"({"template_id":"mine"})", &two);
  EXPECT_EQ(unusable.status, 404) << unusable.body;
  Reply usable = co_await post(api, kSessions, R"({"template_id":"mine"})", &one);
  EXPECT_EQ(usable.status, 202) << usable.body;
  for (const char* id : {"python-default", "all"}) {
    Reply changed =
        co_await api->call(Method::kPut, path + id, R"({"env":{"A":"1"}})", one.headers);
    EXPECT_EQ(changed.status, 403) << changed.body;
    Reply gone = co_await drop(api, path + id, &one);
    EXPECT_EQ(gone.status, 403) << gone.body;
  }
  Reply other = co_await drop(api, path + "mine", &two);
  EXPECT_EQ(other.status, 404) << other.body;
  Reply gone = co_await drop(api, path + "mine", &one);
  EXPECT_EQ(gone.status, 204) << gone.body;
}

// Tenants and keys that were one folder once.
Task<void> session_keys(Api* api) {
  std::string body = R"({"template_id":"shell-default","session_key":"k:1"})";
  std::vector<Person> people;
  std::vector<std::string> ids;
  for (const char* tenant : {"a:b", "a_b", "default"}) {
    people.push_back(co_await person(api, tenant, Role::kUser));
    Reply made = co_await post(api, kSessions, body, &people.back());
    EXPECT_EQ(made.status, 202) << made.body;
    EXPECT_EQ(std::ranges::count(ids, made.at({"id"})), 0);
    ids.push_back(made.at({"id"}));
  }
  Reply same = co_await post(api, kSessions, body, &people[0]);
  EXPECT_EQ(same.at({"id"}), ids[0]);
  Reply listed = co_await get(api, "/api/v1/sessions?session_key=k:1", &people[1]);
  EXPECT_EQ(listed.json().at("sessions").as_array().size(), 1u) << listed.body;
  EXPECT_EQ(listed.at({"sessions", "0", "id"}), ids[1]);
  Reply none = co_await get(api, "/api/v1/sessions?session_key=k_1", &people[1]);
  EXPECT_EQ(none.at({"sessions"}), "[]") << none.body;
  // Nothing of the others goes, whether there is one or not.
  for (const char* key : {"k:1", "k:1", "unknown"}) {
    Reply gone = co_await drop(api, std::string("/api/v1/sessions?session_key=") + key, &people[1]);
    EXPECT_EQ(gone.status, 204) << gone.body;
  }
  Reply over = co_await get(api, "/api/v1/sessions/" + ids[1], &people[1]);
  EXPECT_EQ(over.at({"status"}), "terminated");
  Reply alive = co_await get(api, "/api/v1/sessions/" + ids[0], &people[0]);
  EXPECT_NE(alive.at({"status"}), "terminated");
  Reply unnamed = co_await drop(api, "/api/v1/sessions", &people[0]);
  EXPECT_EQ(unnamed.status, 400) << unnamed.body;
}

// Shared is: by all keys of one tenant.
Task<void> shared_mode(Api* api) {
  Person one = co_await person(api, "one", Role::kUser);
  Person two = co_await person(api, "two", Role::kUser);
  std::string body = R"({"template_id":"shell-default","session_key":"x"})";
  Reply first = co_await post(api, kSessions, body, &one);
  Reply other = co_await post(api, kSessions, body, &two);
  EXPECT_NE(first.at({"id"}), other.at({"id"}));
  Reply gone = co_await drop(api, "/api/v1/sessions?session_key=y", &two);
  EXPECT_EQ(gone.status, 204);
  Reply alive = co_await get(api, "/api/v1/sessions/" + first.at({"id"}), &one);
  EXPECT_NE(alive.at({"status"}), "terminated");
}

std::string* lines = nullptr;

Task<void> metadata(Api* api) {
  log::set_level(log::Level::kDebug);
  Reply made = co_await api->call(
      Method::kPost, kSessions,
      R"({"template_id":"shell-default","metadata":{"m3ta":"m3ta"},"labels":{"l4bel":"l4bel"}})",
      {{"Prefer", "wait"}});
  EXPECT_EQ(made.status, 201) << made.body;
  std::string path = "/api/v1/sessions/" + made.at({"id"});
  Reply changed = co_await api->call(Method::kPatch, path, R"({"metadata":{"m3ta":"again"}})");
  EXPECT_EQ(changed.status, 200) << changed.body;
  Reply gone = co_await api->call(Method::kDelete, path);
  EXPECT_EQ(gone.status, 204);
  log::set_level(log::Level::kOff);
}

// covers: createKey, C50
TEST(RoleRoutes, TheFirstKeyIsAnOwners) { with_api(first_key, {.keys = true}); }
// covers: createKey, listKeys, revokeKey, C50
TEST(RoleRoutes, AnAdminManagesItsTenantOnly) { with_api(admins, {.keys = true}); }
// covers: C50
TEST(RoleRoutes, AnOwnerActsForAnyTenant) { with_api(acting_for_a_tenant, {.keys = true}); }
// covers: createTemplate, deleteTemplate, getTemplate, listTemplates, replaceTemplate
TEST(RoleRoutes, TemplatesOfATenant) { with_api(templates, {.keys = true}); }
// covers: deleteSessionByKey, listSessions, C49
TEST(RoleRoutes, SessionKeysOfTenantsDoNotMeet) { with_api(session_keys, {.keys = true}); }
TEST(RoleRoutes, ASharedSessionIsOfOneTenant) {
  ApiWish wish{.keys = true};
  wish.control.mode = control::Mode::kShared;
  with_api(shared_mode, std::move(wish));
}
// covers: C45
TEST(RoleRoutes, MetadataAndLabelsAreNotLogged) {
  std::string all;
  lines = &all;
  log::set_sink([](std::string_view line) { lines->append(line); });
  with_api(metadata);
  log::set_sink(nullptr);
  EXPECT_NE(all.find("session_created"), std::string::npos);
  EXPECT_EQ(all.find("m3ta"), std::string::npos) << all;
  EXPECT_EQ(all.find("l4bel"), std::string::npos) << all;
}

}  // namespace
}  // namespace atl::api::rest::test
