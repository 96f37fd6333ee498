// What is encrypted in the database, and the keys that it is encrypted with.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

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
    return is_in_clear("SELECT config, environment FROM sessions WHERE id = $1", id.str());
  }
  bool is_template_in_clear(const std::string& id) {
    return is_in_clear("SELECT spec, environment FROM templates WHERE id = $1", id);
  }
  bool is_in_clear(const std::string& sql, const std::string& id) {
    std::string all;
    {
      auto db = must(tested_database().connect(url_, folder_.path()));
      must(db->run(sql, {id}, [&](const Row& row) -> Result<void> {
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
