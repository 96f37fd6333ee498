// Every row comes back as it was written, and can be replaced.
#include <tuple>

#include "codec/json.hpp"
#include "store/conformance/harness.hpp"

namespace atl::store {
namespace {

// Structured bindings name every member: a new one does not compile until it is compared here.
auto members(const model::Session& row) {
  const auto& [id, tenant, key_id, session_key, template_id, node, backend, sandbox_id, state,
               config, labels, metadata, layers, missing, created, updated, ready, expires, ended,
               error_code, error_message, snapshot_id, one_shot, workspace] = row;
  return std::tuple(id, tenant, key_id, session_key, template_id, node, backend, sandbox_id, state,
                    codec::encode(config), labels, metadata, layers, missing, created, updated,
                    ready, expires, ended, error_code, error_message, snapshot_id, one_shot,
                    workspace);
}

auto members(const model::Execution& row) {
  const auto& [id, session_id, tenant, state, request, context_id, exec_id, exit_code, truncated,
               result, files, error_code, error_message, metrics, created, started, ended, duration,
               output] = row;
  const auto& [user_ms, system_ms, peak] = metrics;
  const auto& [out, err, merged, large] = output;
  return std::tuple(id, session_id, tenant, state, request, context_id, exec_id, exit_code,
                    truncated, result, files, error_code, error_message, user_ms, system_ms, peak,
                    created, started, ended, duration, out, err, merged, large);
}

auto members(const model::Template& row) {
  const auto& [id, tenant, spec, built_in, version, created, updated] = row;
  return std::tuple(id, tenant, codec::encode(spec), built_in, version, created, updated);
}

auto members(const model::Key& row) {
  const auto& [id, tenant, role, name, hash, created, revoked, policy] = row;
  return std::tuple(id, tenant, role, name, hash, created, revoked, codec::encode(policy));
}

auto members(const ContextRow& row) {
  const auto& [id, session_id, language, cwd, is_default, exec_id, created] = row;
  return std::tuple(id, session_id, language, cwd, is_default, exec_id, created);
}

auto members(const SnapshotRow& row) {
  const auto& [id, session_id, tenant, name, size, file, created] = row;
  return std::tuple(id, session_id, tenant, name, size, file, created);
}

auto members(const IdempotencyRow& row) {
  const auto& [tenant, key, fingerprint, made, created] = row;
  const auto& [kind, id, state] = made;
  return std::tuple(tenant, key, fingerprint, kind, id, state, created);
}

class Rows : public StoreCase {};

model::Session full_session() {
  model::Session row = make_session("Zoë's tenant \xf0\x9f\x8f\x9d");
  row.key_id = "k1";
  row.session_key = "chat:42";
  row.runtime_node = "node-1";
  row.backend = "native";
  row.sandbox_id = SandboxId::make();
  row.config.timeout_seconds = 77;
  row.config.idle_timeout_seconds = 5;
  row.config.allow_network = true;
  row.config.environment = {{"A", "1"}, {"B", std::string("quote \" and NUL \0 end", 20)}};
  row.config.resources = {.cpu = 0.25, .memory = 128, .disk = 64, .pids = 7};
  row.labels = {{"team", "blue"}, {"größe", "±1"}};
  row.metadata_json = R"({"origin":"test","tags":[1,null,{"deep":true}]})";
  row.isolation_layers = {"user_namespace", "seccomp"};
  row.isolation_missing = {"landlock"};
  row.updated_at = at(1'700'000'001'000);
  row.ready_at = at(1'700'000'000'500);
  row.expires_at = at(1'700'000'300'500);
  row.ended_at = at(1'700'000'200'000);
  row.error_code = "sandbox_lost";
  row.error_message = "it went away; 'quoted'";
  row.snapshot_id = "s1";
  row.one_shot = true;
  return row;
}

TEST_F(Rows, Session) {
  model::Session row = full_session();
  must(write(PutSession{row}));
  EXPECT_EQ(members(must(wait(store().session(row.id)))), members(row));
  row.state = model::SessionState::kTerminated;
  row.labels = {{"team", "red"}};
  row.ready_at.reset();
  row.config.environment.clear();
  must(write(PutSession{row}));
  EXPECT_EQ(members(must(wait(store().session(row.id)))), members(row));
  EXPECT_EQ(must(wait(store().sessions({}, {}))).size(), 1u);
}

TEST_F(Rows, EverySessionState) {
  using enum model::SessionState;
  for (auto state : {kCreating, kReady, kRunning, kPaused, kCompleted, kTerminated, kFailed}) {
    model::Session row = make_session();
    row.state = state;
    must(write(PutSession{row}));
    EXPECT_EQ(must(wait(store().session(row.id))).state, state);
  }
}

TEST_F(Rows, Execution) {
  model::Session session = make_session();
  model::Execution row = make_execution(session);
  row.state = model::ExecutionState::kTimedOut;
  row.context_id = ContextId::make();
  row.exec_id = 0xfedcba9876543210;
  row.exit_code = -9;
  row.truncated = true;
  row.result_json = R"({"text/plain":"¼"})";
  row.files_json = R"({"created":["a"]})";
  row.error_code = "exec_timeout";
  row.error_message = "took too long";
  row.metrics = {.cpu_user_ms = 1, .cpu_system_ms = 2, .memory_peak_bytes = 1ull << 40};
  row.started_at = at(5);
  row.ended_at = at(6);
  row.duration_ms = 1;
  must(write(PutSession{session}, PutExecution{row}));
  EXPECT_EQ(members(must(wait(store().execution(row.id, true)))), members(row));
  row.exit_code.reset();
  row.state = model::ExecutionState::kCancelled;
  must(write(PutExecution{row}));
  EXPECT_EQ(members(must(wait(store().execution(row.id, false)))), members(row));
}

TEST_F(Rows, TemplateAndKey) {
  model::Template origin{.id = "my-template",
                         .built_in = true,
                         .version = 3,
                         .created_at = at(1),
                         .updated_at = at(2)};
  origin.spec.name = "Mine";
  origin.spec.backend = "docker";
  origin.spec.resources.cpu = 1.5;
  origin.spec.security.allowed_domains = {"example.org"};
  origin.spec.env = {{"X", "y"}};
  origin.spec.preload = {"numpy"};
  origin.spec.pool = 5;
  origin.spec.ttl = 60;
  origin.spec.policy = {.high = model::RiskAction::kAsk};
  model::Key key{.id = "abc",
                 .tenant = "t",
                 .role = model::Role::kReadOnly,
                 .name = "ci",
                 .secret_hash = std::string(64, 'f'),
                 .created_at = at(3),
                 .policy = {.critical = model::RiskAction::kDeny}};
  must(write(PutTemplate{origin}, PutKey{key}));
  EXPECT_EQ(members(must(wait(store().find_template(origin.id)))), members(origin));
  EXPECT_EQ(members(must(wait(store().key(key.id)))), members(key));
  key.revoked_at = at(4);
  origin.version = 4;
  must(write(PutTemplate{origin}, PutKey{key}));
  EXPECT_EQ(members(must(wait(store().find_template(origin.id)))), members(origin));
  EXPECT_EQ(members(must(wait(store().key(key.id)))), members(key));
}

TEST_F(Rows, ContextSnapshotAndAnswer) {
  model::Session session = make_session();
  ContextRow context{.id = ContextId::make(),
                     .session_id = session.id,
                     .language = "python",
                     .cwd = "/workspace/\xff odd",
                     .is_default = true,
                     .exec_id = 9,
                     .created_at = at(1)};
  SnapshotRow snapshot{.id = make_sortable_id(),
                       .session_id = session.id,
                       .tenant = "t",
                       .name = "before",
                       .size = 1ull << 33,
                       .file = "s1.tar",
                       .created_at = at(2)};
  IdempotencyRow answer{.tenant = "t",
                        .key = "once",
                        .fingerprint = "f",
                        .made = {.kind = model::MadeKind::kExecution,
                                 .id = session.id.str(),
                                 .state = model::MadeState::kAccepted},
                        .created_at = at(3)};
  must(write(PutSession{session}, PutContext{context}, PutSnapshot{snapshot},
             PutIdempotency{answer}));
  std::vector<ContextRow> contexts = must(wait(store().contexts(session.id)));
  ASSERT_EQ(contexts.size(), 1u);
  EXPECT_EQ(members(contexts[0]), members(context));
  EXPECT_EQ(members(must(wait(store().snapshot(snapshot.id)))), members(snapshot));
  EXPECT_EQ(members(must(wait(store().idempotency("t", "once")))), members(answer));
  answer.made.state = model::MadeState::kDone;
  must(write(PutIdempotency{answer}));
  EXPECT_EQ(members(must(wait(store().idempotency("t", "once")))), members(answer));
}

TEST_F(Rows, WhatIsNotThere) {
  EXPECT_EQ(code_of(wait(store().session(SessionId("nope")))), Code::kNotFound);
  EXPECT_EQ(code_of(wait(store().execution(ExecutionId("nope"), true))), Code::kNotFound);
  EXPECT_EQ(code_of(wait(store().find_template("nope"))), Code::kNotFound);
  EXPECT_EQ(code_of(wait(store().key("nope"))), Code::kNotFound);
  EXPECT_EQ(code_of(wait(store().snapshot("nope"))), Code::kNotFound);
  EXPECT_EQ(code_of(wait(store().idempotency("t", "nope"))), Code::kNotFound);
  EXPECT_TRUE(must(wait(store().contexts(SessionId("nope")))).empty());
}

// Ids come out of URLs: no text may find another row than its own, or upset the database.
TEST_F(Rows, OddIdsFindNothing) {
  model::Key key{.id = "abc"};
  must(write(PutKey{key}));
  for (const std::string& odd :
       {std::string("abc\0", 4), std::string("abc\0def", 7), std::string("\xff\xfe"),
        std::string("abc' OR '1'='1"), std::string("$1"), std::string("")}) {
    EXPECT_EQ(code_of(wait(store().key(odd))), Code::kNotFound) << testing::PrintToString(odd);
    EXPECT_EQ(code_of(wait(store().session(SessionId(odd)))), Code::kNotFound);
    EXPECT_TRUE(must(wait(store().sessions({.tenant = odd + "x"}, {}))).empty());
    must(write(RemoveTemplate{odd}));
  }
  EXPECT_EQ(must(wait(store().key("abc"))).id, "abc");
}

TEST_F(Rows, TextThatCannotBeStored) {
  for (const std::string& bad : {std::string("a\0b", 3), std::string("\xc3(")}) {
    model::Key key{.id = bad};
    EXPECT_EQ(code_of(write(PutKey{key})), Code::kInvalidArgument);
    model::Session session = make_session();
    session.labels = {{"name", bad}};
    EXPECT_EQ(code_of(write(PutSession{session})), Code::kInvalidArgument);
    EXPECT_EQ(code_of(wait(store().session(session.id))), Code::kNotFound);
    // What people read is mended instead: an execution's end must not be refused for it.
    session.labels.clear();
    session.error_message = bad;
    must(write(PutSession{session}));
    EXPECT_NE(must(wait(store().session(session.id))).error_message.find("\xef\xbf\xbd"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace atl::store
