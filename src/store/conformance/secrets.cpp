// What is encrypted in the database, and the keys that it is encrypted with.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "codec/json.hpp"
#include "store/conformance/harness.hpp"
#include "store/sealer.hpp"

namespace atl::store {
namespace {

constexpr const char* kSecret = "hunter2-hunter2-hunter2";

struct Secrets : StoreCase {
  SessionId put_secret() {
    model::Session row = make_session();
    row.config.environment = {{"TOKEN", kSecret}};
    must(write(PutSession{row}));
    return row.id;
  }
  std::string secret_of(const SessionId& id) {
    return must(wait(store().session(id))).config.environment["TOKEN"];
  }
  // A template of that name whose environment is a secret.
  void put_template(const std::string& id) {
    model::Template row{.id = id};
    row.spec.env = {{"TOKEN", kSecret}};
    row.spec.pool = 3;
    must(write(PutTemplate{row}));
  }
  std::string template_secret(const std::string& id) {
    return must(wait(store().find_template(id))).spec.env["TOKEN"];
  }
  std::string key_path() const { return folder_.path() + "/storage.key"; }
  std::string key_text() const { return text_of(key_path()); }
  void set_key(const std::string& text) const { std::ofstream(key_path()) << text; }
  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // In a row, or in any file of the data folder.
  bool is_in_clear(const SessionId& id) {
    return is_in_clear("SELECT config, environment FROM sessions WHERE id = $1", {id.str()});
  }
  bool is_template_in_clear(const std::string& id) {
    return is_in_clear("SELECT spec, environment FROM templates WHERE id = $1", {id});
  }
  bool is_in_clear(const std::string& sql, const std::vector<Value>& values = {}) {
    std::string all;
    {
      auto db = must(tested_database().connect(url_, folder_.path()));
      must(db->run(sql, std::span(values), [&](const Row& row) -> Result<void> {
        all += std::string(row.text(0)) + std::string(row.text(1));
        return {};
      }));
    }
    EXPECT_FALSE(all.empty());
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file()) all += text_of(entry.path());
    }
    return all.find(kSecret) != all.npos;
  }
  Code code_of_open() {
    Result<std::unique_ptr<Store>> opened = wait(open_store(options()));
    if (opened) wait((*opened)->close());
    return code_of(opened);
  }
};

TEST_F(Secrets, TheEnvironmentOfASessionIsNotInClear) {
  SessionId id = put_secret();
  EXPECT_EQ(secret_of(id), kSecret);
  close();
  EXPECT_FALSE(is_in_clear(id));
  struct stat info{};
  ASSERT_EQ(::stat(key_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  open();
  EXPECT_EQ(secret_of(id), kSecret);
}

TEST_F(Secrets, RowsOfOlderVersionsAreEncryptedAtTheStart) {
  SessionId id = put_secret();
  close();
  {
    auto db = must(tested_database().connect(url_, folder_.path()));
    must(db->run_script(std::string("UPDATE sessions SET environment = '', config = ") +
                        R"('{"timeout_seconds":7,"environment":{"TOKEN":")" + kSecret +
                        R"("}}' WHERE id = ')" + id.str() + "'"));
  }
  EXPECT_TRUE(is_in_clear(id));
  open();
  EXPECT_EQ(secret_of(id), kSecret);
  EXPECT_EQ(must(wait(store().session(id))).config.timeout_seconds, 7u);
  close();
  EXPECT_FALSE(is_in_clear(id));
  open();
}

TEST_F(Secrets, TheEnvironmentOfATemplateIsNotInClear) {
  put_template("t");
  EXPECT_EQ(template_secret("t"), kSecret);
  close();
  EXPECT_FALSE(is_template_in_clear("t"));
  open();
  EXPECT_EQ(template_secret("t"), kSecret);
  EXPECT_EQ(must(wait(store().templates())).at(0).spec.env.at("TOKEN"), kSecret);
}

TEST_F(Secrets, TemplatesOfOlderVersionsAreEncryptedAtTheStart) {
  put_template("t");
  close();
  {
    auto db = must(tested_database().connect(url_, folder_.path()));
    must(db->run_script(std::string("UPDATE templates SET environment = '', spec = ") +
                        R"('{"name":"old","env":{"TOKEN":")" + kSecret +
                        R"("},"pool":5}' WHERE id = 't')"));
  }
  EXPECT_TRUE(is_template_in_clear("t"));
  open();
  EXPECT_EQ(template_secret("t"), kSecret);
  EXPECT_EQ(must(wait(store().find_template("t"))).spec.pool, 5u);
  close();
  EXPECT_FALSE(is_template_in_clear("t"));
  open();
}

// What was sealed for one template does not open as another's, nor as a session's.
TEST_F(Secrets, AnEnvironmentBelongsToItsRow) {
  put_template("t");
  put_template("u");
  close();
  {
    auto db = must(tested_database().connect(url_, folder_.path()));
    must(db->run_script(
        "UPDATE templates SET environment = (SELECT environment FROM templates WHERE id = 'u') "
        "WHERE id = 't'"));
  }
  open();
  EXPECT_EQ(code_of(wait(store().find_template("t"))), Code::kInternal);
  EXPECT_EQ(template_secret("u"), kSecret);
}

TEST_F(Secrets, ARotationReplacesTheKeyOfTemplates) {
  put_template("t");
  close();
  std::string before = key_text();
  StoreOptions renewing = options();
  renewing.renew_storage_key = true;
  store_ = must(wait(open_store(renewing)));
  EXPECT_EQ(template_secret("t"), kSecret);
  close();
  std::string after = key_text();
  EXPECT_NE(after, before);
  set_key(before);
  EXPECT_EQ(code_of_open(), Code::kConflict);
  set_key(after);
  open();
  EXPECT_EQ(template_secret("t"), kSecret);
}

TEST_F(Secrets, AWrongKeyChangesNothing) {
  SessionId id = put_secret();
  close();
  std::string right = key_text();
  set_key(StorageKey::random().value().hex() + "\n");
  EXPECT_EQ(code_of_open(), Code::kConflict);
  std::filesystem::remove(key_path());
  EXPECT_EQ(code_of_open(), Code::kConflict);
  EXPECT_FALSE(std::filesystem::exists(key_path()));  // none is made that hides what is missing
  set_key("no key\n");
  EXPECT_EQ(code_of_open(), Code::kInvalidArgument);
  set_key(right);
  open();
  EXPECT_EQ(secret_of(id), kSecret);
}

TEST_F(Secrets, ARotationReplacesTheKey) {
  SessionId id = put_secret();
  close();
  std::string before = key_text();
  StoreOptions renewing = options();
  renewing.renew_storage_key = true;
  store_ = must(wait(open_store(renewing)));
  EXPECT_EQ(secret_of(id), kSecret);
  close();
  std::string after = key_text();
  EXPECT_NE(after, before);
  EXPECT_EQ(after.size(), before.size());
  set_key(before);
  EXPECT_EQ(code_of_open(), Code::kConflict);
  // Killed before any row was written, and after all of them were.
  std::string third = StorageKey::random().value().hex() + "\n";
  set_key(third + after);
  open();
  EXPECT_EQ(secret_of(id), kSecret);
  EXPECT_EQ(key_text(), third);
  close();
  set_key(third + after);
  open();
  EXPECT_EQ(secret_of(id), kSecret);
  EXPECT_EQ(key_text(), third);
}

model::Secret make_secret(std::string tenant, std::string name) {
  model::Secret row;
  row.tenant = std::move(tenant);
  row.name = std::move(name);
  row.created_at = at(1'700'000'000'000);
  row.updated_at = at(1'700'000'001'000);
  row.value = kSecret;
  return row;
}

model::NetworkPolicy make_policy() {
  model::NetworkPolicy policy;
  policy.rules = {{.action = model::NetworkAction::kAllow,
                   .target = "api.example.com",
                   .ports = {{.first = 443, .last = 443}}}};
  policy.headers["api.example.com"]["Authorization"] = {.value = kSecret, .secret = {}};
  policy.secrets = {{.env = "TOKEN", .secret = "token", .hosts = {"*.example.com"}}};
  return policy;
}

TEST_F(Secrets, OfATenantAreKeptWithoutBeingInClear) {
  model::Secret row = make_secret("a/b", "token");
  row.value += std::string("\0\xff", 2);
  must(write(PutSecret{row}, PutSecret{make_secret("a", "other")}));
  reopen();
  model::Secret found = must(wait(store().secret("a/b", "token")));
  EXPECT_EQ(found.value, row.value);
  EXPECT_EQ(found.created_at, row.created_at);
  EXPECT_EQ(found.updated_at, row.updated_at);
  EXPECT_EQ(code_of(wait(store().secret("a", "b/token"))), Code::kNotFound);
  EXPECT_EQ(code_of(wait(store().secret("a", "token"))), Code::kNotFound);
  std::vector<model::SecretInfo> listed = must(wait(store().secrets("a/b")));
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].name, "token");
  EXPECT_EQ(must(wait(store().secrets(""))).size(), 2u);
  row.value = "new";
  must(write(PutSecret{row}, RemoveSecret{"a", "token"}));
  EXPECT_EQ(must(wait(store().secret("a/b", "token"))).value, "new");
  must(write(RemoveSecret{"a/b", "token"}, RemoveSecret{"a/b", "token"}));
  EXPECT_TRUE(must(wait(store().secrets("a/b"))).empty());
  close();
  EXPECT_FALSE(is_in_clear(std::string("SELECT name, value FROM secrets")));
  open();
}

// A value that was moved to another row by whoever can write the database does not open.
TEST_F(Secrets, AreBoundToTheirRow) {
  must(write(PutSecret{make_secret("a", "token")}, PutSecret{make_secret("b", "token")}));
  close();
  {
    auto db = must(tested_database().connect(url_, folder_.path()));
    must(
        db->run_script("UPDATE secrets SET value = (SELECT value FROM secrets WHERE tenant = 'a')"
                       " WHERE tenant = 'b'"));
  }
  open();
  EXPECT_TRUE(wait(store().secret("a", "token")).has_value());
  EXPECT_FALSE(wait(store().secret("b", "token")).has_value());
}

TEST_F(Secrets, NetworkPoliciesAreKeptWithoutBeingInClear) {
  model::Session session = make_session();
  session.config.network = make_policy();
  model::Template origin{.id = "t", .created_at = at(1), .updated_at = at(2)};
  origin.spec.security.network = make_policy();
  must(write(PutSession{session}, PutTemplate{origin}));
  reopen();
  std::string wanted = codec::encode(make_policy());
  model::Session found = must(wait(store().session(session.id)));
  ASSERT_TRUE(found.config.network.has_value());
  EXPECT_EQ(codec::encode(*found.config.network), wanted);
  model::Template same = must(wait(store().find_template("t")));
  ASSERT_TRUE(same.spec.security.network.has_value());
  EXPECT_EQ(codec::encode(*same.spec.security.network), wanted);
  found.config.network.reset();
  must(write(PutSession{found}));
  EXPECT_FALSE(must(wait(store().session(session.id))).config.network.has_value());
  must(write(PutSession{session}));
  close();
  EXPECT_FALSE(is_in_clear(std::string("SELECT config, network FROM sessions")));
  EXPECT_FALSE(is_in_clear(std::string("SELECT spec, network FROM templates")));
  open();
}

// Nothing is left that only the old key opens.
TEST_F(Secrets, ARotationCoversSecretsAndPolicies) {
  model::Session session = make_session();
  session.config.network = make_policy();
  model::Template origin{.id = "t", .created_at = at(1), .updated_at = at(2)};
  origin.spec.security.network = make_policy();
  must(write(PutSession{session}, PutTemplate{origin}, PutSecret{make_secret("a", "token")}));
  close();
  std::string before = key_text();
  StoreOptions renewing = options();
  renewing.renew_storage_key = true;
  store_ = must(wait(open_store(renewing)));
  close();
  EXPECT_NE(key_text(), before);
  open();
  EXPECT_EQ(must(wait(store().secret("a", "token"))).value, kSecret);
  EXPECT_TRUE(must(wait(store().session(session.id))).config.network.has_value());
  EXPECT_TRUE(must(wait(store().find_template("t"))).spec.security.network.has_value());
  must(write(RemoveTemplate{"t"}));
  model::Session plain = session;
  plain.config.network.reset();
  must(write(PutSession{plain}));
  close();
  set_key(StorageKey::random().value().hex() + "\n");
  EXPECT_EQ(code_of_open(), Code::kConflict);  // for the secret alone
}

TEST_F(Secrets, AKeyOfTheEnvironmentGoesBeforeTheFile) {
  SessionId id = put_secret();
  close();
  StoreOptions given = options();
  given.storage_key = StorageKey::random().value().hex();
  store_ = must(wait(open_store(given)));
  EXPECT_EQ(secret_of(id), kSecret);
  close();
  EXPECT_EQ(code_of_open(), Code::kConflict);
  given.storage_key = StorageKey::random().value().hex() + "," + given.storage_key;
  store_ = must(wait(open_store(given)));
  EXPECT_EQ(secret_of(id), kSecret);
}

}  // namespace
}  // namespace atl::store
