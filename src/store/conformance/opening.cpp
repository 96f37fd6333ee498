// Opening: the lock, the modes of files, schemas that are empty, older and newer.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "store/conformance/harness.hpp"
#include "store/migrate.hpp"

namespace atl::store {
namespace {

class Opening : public StoreCase {
 protected:
  std::unique_ptr<Connection> connection() {
    return must(tested_database().connect(url_, folder_.path()));
  }
};

TEST_F(Opening, TheSecondServerIsRefused) {
  Result<std::unique_ptr<Store>> second = wait(open_store(options()));
  ASSERT_EQ(code_of(second), Code::kConflict);
  EXPECT_NE(second.error().message().find("process " + std::to_string(::getpid())),
            std::string::npos)
      << second.error().message();
  must(write(PutKey{{.id = "still works"}}));
  reopen();
}

TEST_F(Opening, ACommandBesideTheServer) {
  StoreOptions beside = options();
  beside.beside_server = true;
  std::unique_ptr<Store> command = must(wait(open_store(beside)));
  std::vector<Change> changes;
  changes.emplace_back(PutKey{{.id = "made beside"}});
  must(wait(command->write(std::move(changes))));
  EXPECT_EQ(must(wait(store().key("made beside"))).id, "made beside");
  wait(command->close());
  must(write(PutKey{{.id = "k"}}));
  // Without a server it makes the database.
  close();
  TempFolder folder;
  beside.data_folder = folder.path() + "/new";
  if (!url_.empty()) beside.url = tested_database().fresh_url();
  command = must(wait(open_store(beside)));
  must(wait(command->ping()));
  wait(command->close());
}

TEST_F(Opening, FilesAreOnlyForTheirOwner) {
  close();
  TempFolder parent;
  StoreOptions fresh{.url = tested_database().fresh_url(), .data_folder = parent.path() + "/a/b"};
  std::unique_ptr<Store> made = must(wait(open_store(fresh)));
  must(wait(made->ping()));
  struct stat status{};
  ASSERT_EQ(::stat(fresh.data_folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
  for (const auto& entry : std::filesystem::directory_iterator(fresh.data_folder)) {
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07077, 0u) << entry.path();
  }
  wait(made->close());
}

TEST_F(Opening, WrongUrls) {
  for (const char* url : {"mysql://secret@host/db", "postgres", "sqlite:/elsewhere"}) {
    TempFolder folder;
    Result<std::unique_ptr<Store>> opened =
        wait(open_store({.url = url, .data_folder = folder.path()}));
    ASSERT_EQ(code_of(opened), Code::kInvalidArgument) << url;
    EXPECT_EQ(opened.error().message().find("secret"), std::string::npos);
  }
}

TEST_F(Opening, FromAnEmptyDatabase) {
  close();
  std::unique_ptr<Connection> db = connection();
  EXPECT_EQ(must(schema_version(*db)), newest_schema());
}

TEST_F(Opening, FromAnOlderSchema) {
  close();
  TempFolder older;
  StoreOptions old{.url = tested_database().fresh_url(), .data_folder = older.path()};
  {
    std::unique_ptr<Connection> db = must(tested_database().connect(old.url, old.data_folder));
    EXPECT_EQ(must(schema_version(*db)), 0);
    must(migrate(*db, 1));
    EXPECT_EQ(must(schema_version(*db)), 1);
    must(
        db->run("INSERT INTO api_keys (id, tenant, role, name, secret_hash, created_at) "
                "VALUES ($1, $2, $3, $4, $5, $6)",
                {std::string("old"), std::string("t"), std::string("admin"), std::string("n"),
                 std::string("h"), std::int64_t{7}}));
  }
  std::unique_ptr<Store> opened = must(wait(open_store(old)));
  model::Key key = must(wait(opened->key("old")));
  EXPECT_EQ(key.role, model::Role::kOwner);  // it was the only one
  EXPECT_EQ(key.created_at, at(7));
  must(wait(opened->ping()));  // writes a table that the old schema had not
  wait(opened->close());
  std::unique_ptr<Connection> db = must(tested_database().connect(old.url, old.data_folder));
  EXPECT_EQ(must(schema_version(*db)), newest_schema());
}

// Until schema 5 every admin managed the whole server: one of them still does.
TEST_F(Opening, TheOldestAdminBecomesTheOwner) {
  close();
  TempFolder older;
  StoreOptions old{.url = tested_database().fresh_url(), .data_folder = older.path()};
  {
    std::unique_ptr<Connection> db = must(tested_database().connect(old.url, old.data_folder));
    must(migrate(*db, 4));
    auto add = [&](std::string id, std::string tenant, std::string role, std::int64_t made) {
      must(
          db->run("INSERT INTO api_keys (id, tenant, role, name, secret_hash, created_at) "
                  "VALUES ($1, $2, $3, '', $1, $4)",
                  {std::move(id), std::move(tenant), std::move(role), made}));
    };
    add("a-revoked", "default", "admin", 1);
    must(db->run("UPDATE api_keys SET revoked_at = 2", {}));
    add("b-other", "other", "admin", 2);
    add("c-user", "default", "user", 3);
    add("z-first", "default", "admin", 4);
    add("d-second", "default", "admin", 5);
    must(
        db->run("INSERT INTO templates (id, spec, built_in, version, created_at, updated_at) "
                "VALUES ('t', '{}', 0, 1, 1, 1)",
                {}));
  }
  std::unique_ptr<Store> opened = must(wait(open_store(old)));
  for (const model::Key& key : must(wait(opened->keys()))) {
    EXPECT_EQ(key.role == model::Role::kOwner, key.id == "z-first") << key.id;
  }
  EXPECT_EQ(must(wait(opened->find_template("t"))).tenant, "");
  wait(opened->close());
}

// Until schema 6 a key kept the text of an answer. What it made is found by its id.
TEST_F(Opening, AnswersOfAnOlderServerNameWhatTheyMade) {
  close();
  TempFolder older;
  StoreOptions old{.url = tested_database().fresh_url(), .data_folder = older.path()};
  {
    std::unique_ptr<Connection> db = must(tested_database().connect(old.url, old.data_folder));
    must(migrate(*db, 5));
    must(
        db->run("INSERT INTO templates (id, spec, built_in, version, created_at, updated_at) "
                "VALUES ('t1', '{}', 0, 1, 1, 1)",
                {}));
    must(
        db->run("INSERT INTO snapshots (id, session_id, tenant, name, size, file, created_at) "
                "VALUES ('n1', 's1', 't', '', 1, 'n1', 1)",
                {}));
    must(db->run(
        "INSERT INTO sessions (id, tenant, key_id, session_key, template_id, runtime_node, "
        "backend, sandbox_id, state, config, labels, metadata, isolation_layers, "
        "isolation_missing, created_at, updated_at, error_code, error_message) VALUES "
        "('s1', 't', '', '', 't1', '', '', '', 'ready', '{}', '{}', '{}', '[]', '[]', 1, 1, "
        "'', '')",
        {}));
    must(
        db->run("INSERT INTO executions (id, session_id, tenant, state, request_json, context_id, "
                "exec_id, truncated, result_json, files_json, error_code, error_message, "
                "cpu_user_ms, cpu_system_ms, memory_peak_bytes, created_at, duration_ms) VALUES "
                "('e1', 's1', 't', 'completed', '', '', 0, 0, '', '', '', '', 0, 0, 0, 1, 0)",
                {}));
    auto add = [&](std::string key, std::string made, std::int64_t status) {
      must(
          db->run("INSERT INTO idempotency (tenant, idempotency_key, fingerprint, status, answer, "
                  "made, created_at) VALUES ('t', $1, 'f', $2, $3, $4, 9)",
                  {std::move(key), status, Bytes{"{}"}, std::move(made)}));
    };
    add("accepted", "s1", 202);
    add("made", "s1", 201);
    add("found", "s1", 200);
    add("ran", "e1", 200);
    add("kept", "n1", 201);
    add("template", "t1", 201);
    add("removed since", "n0", 201);
  }
  std::unique_ptr<Store> opened = must(wait(open_store(old)));
  auto expect = [&](std::string key, model::MadeKind kind, std::string id, model::MadeState state) {
    IdempotencyRow row = must(wait(opened->idempotency("t", key)));
    EXPECT_EQ(row.made.kind, kind) << key;
    EXPECT_EQ(row.made.id, id) << key;
    EXPECT_EQ(row.made.state, state) << key;
    EXPECT_EQ(row.fingerprint, "f");
    EXPECT_EQ(row.created_at, at(9));
  };
  using model::MadeKind;
  using model::MadeState;
  expect("accepted", MadeKind::kSession, "s1", MadeState::kAccepted);
  expect("made", MadeKind::kSession, "s1", MadeState::kDone);
  expect("found", MadeKind::kSession, "s1", MadeState::kFound);
  expect("ran", MadeKind::kExecution, "e1", MadeState::kDone);
  expect("kept", MadeKind::kSnapshot, "n1", MadeState::kDone);
  expect("template", MadeKind::kTemplate, "t1", MadeState::kDone);
  EXPECT_EQ(code_of(wait(opened->idempotency("t", "removed since"))), Code::kNotFound);
  wait(opened->close());
}

TEST_F(Opening, ANewerSchemaIsRefusedAndLeftAlone) {
  must(write(PutKey{{.id = "k"}}));
  close();
  std::string newer = std::to_string(newest_schema() + 1);
  must(connection()->run_script("UPDATE schema_version SET version = " + newer));
  Result<std::unique_ptr<Store>> opened = wait(open_store(options()));
  ASSERT_EQ(code_of(opened), Code::kUnsupported);
  EXPECT_NE(opened.error().message().find("schema " + newer), std::string::npos);
  EXPECT_EQ(must(schema_version(*connection())), newest_schema() + 1);
  must(connection()->run_script("UPDATE schema_version SET version = " +
                                std::to_string(newest_schema())));
  open();
  EXPECT_EQ(must(wait(store().key("k"))).id, "k");
}

TEST_F(Opening, AMigrationThatFailsLeavesTheSchemaBefore) {
  close();
  TempFolder older;
  StoreOptions old{.url = tested_database().fresh_url(), .data_folder = older.path()};
  {
    std::unique_ptr<Connection> db = must(tested_database().connect(old.url, old.data_folder));
    must(migrate(*db, 1));
    must(db->run_script("CREATE TABLE writers (id INTEGER)"));  // in the way of the second
  }
  EXPECT_NE(code_of(wait(open_store(old))), Code::kOk);
  {
    std::unique_ptr<Connection> db = must(tested_database().connect(old.url, old.data_folder));
    EXPECT_EQ(must(schema_version(*db)), 1);
    must(db->run_script("DROP TABLE writers"));
  }
  std::unique_ptr<Store> opened = must(wait(open_store(old)));
  wait(opened->close());
}

}  // namespace
}  // namespace atl::store
