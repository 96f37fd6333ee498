// What must survive: sessions, executions, templates, keys, what repeated requests have made.
// SQLite on one machine, PostgreSQL by URL; one schema, one suite of tests (store/conformance).
//
// Called on the I/O thread; the database works on threads of its own. write() is the only way to
// change anything: all of its changes happen, or none. When it has returned without an error they
// are on the disk. Writes of several callers share a commit. Reads see every write that returned
// before they began.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "model/approval.hpp"
#include "model/audit.hpp"
#include "model/audit_chain.hpp"
#include "model/execution.hpp"
#include "model/key.hpp"
#include "model/made.hpp"
#include "model/queries.hpp"
#include "model/secret.hpp"
#include "model/session.hpp"
#include "model/snapshot.hpp"
#include "model/template.hpp"
#include "model/tenant.hpp"

namespace atl::store {

using model::ApprovalFilter;
using model::AuditFilter;
using model::AuditRow;
using model::ExecutionFilter;
using model::Page;
using model::SessionFilter;
using model::Time;

// A stateful interpreter, so that a restarted server finds it again.
struct ContextRow {
  ContextId id;
  SessionId session_id;
  std::string language;
  std::string cwd;
  bool is_default = false;
  std::uint64_t exec_id = 0;  // of its interpreter in the guest
  Time created_at{};
};

using SnapshotRow = model::Snapshot;

// A request that must not be carried out twice, and what it made.
struct IdempotencyRow {
  std::string tenant;
  std::string key;
  std::string fingerprint;  // of method, path and body
  model::Made made;
  Time created_at{};
};

// One row each, written whole: made if it is new, replaced otherwise. An output is written once,
// with the execution's end.
struct PutSession {
  model::Session row;
};
struct PutExecution {
  model::Execution row;
  bool with_output = false;
};
struct PutTemplate {
  model::Template row;
};
struct PutKey {
  model::Key row;
};
struct PutContext {
  ContextRow row;
};
struct PutSnapshot {
  SnapshotRow row;
};
struct PutSecret {
  model::Secret row;
};
struct PutApproval {
  model::Approval row;
};
struct PutTenant {
  model::Tenant row;
};
struct PutIdempotency {
  IdempotencyRow row;
};
// Refuses the whole write (kAlreadyExists) when the row is there: who comes second sees the first.
struct AddIdempotency {
  IdempotencyRow row;
};
struct AddTemplate {
  model::Template row;
};
// Once: the same row again changes nothing.
struct AddAudit {
  AuditRow row;
};
struct RemoveTemplate {
  std::string id;
};
struct RemoveContext {
  ContextId id;
};
struct RemoveSnapshot {
  std::string id;
};
struct RemoveSecret {
  std::string tenant;
  std::string name;
};
struct RemoveIdempotency {
  std::string tenant;
  std::string key;
};
using Change =
    std::variant<PutSession, PutExecution, PutTemplate, PutKey, PutContext, PutSnapshot, PutSecret,
                 PutApproval, PutTenant, PutIdempotency, AddIdempotency, AddTemplate, AddAudit,
                 RemoveTemplate, RemoveContext, RemoveSnapshot, RemoveSecret, RemoveIdempotency>;

struct Retention {
  Time sessions_ended_before{};  // with their executions, outputs, contexts, approvals
  Time idempotency_before{};
  Time audit_before{};
};

class Store {
 public:
  virtual ~Store() = default;

  virtual async::Task<Result<void>> write(std::vector<Change> changes) = 0;

  // kNotFound when there is none.
  virtual async::Task<Result<model::Session>> session(SessionId id) = 0;
  virtual async::Task<Result<model::Execution>> execution(ExecutionId id, bool with_output) = 0;
  virtual async::Task<Result<model::Template>> find_template(std::string id) = 0;
  virtual async::Task<Result<model::Key>> key(std::string id) = 0;
  virtual async::Task<Result<SnapshotRow>> snapshot(std::string id) = 0;
  virtual async::Task<Result<model::Secret>> secret(std::string tenant, std::string name) = 0;
  virtual async::Task<Result<model::Approval>> approval(ExecutionId id) = 0;
  virtual async::Task<Result<IdempotencyRow>> idempotency(std::string tenant, std::string key) = 0;

  virtual async::Task<Result<std::vector<model::Session>>> sessions(SessionFilter filter,
                                                                    Page page) = 0;
  virtual async::Task<Result<std::vector<model::Execution>>> executions(ExecutionFilter filter,
                                                                        Page page) = 0;
  virtual async::Task<Result<std::vector<AuditRow>>> audit(AuditFilter filter, Page page) = 0;
  virtual async::Task<Result<std::vector<model::ApprovalInfo>>> approvals(ApprovalFilter filter,
                                                                          Page page) = 0;
  // In the order of the chain, behind `after`.
  virtual async::Task<Result<std::vector<AuditRow>>> audit_chain(std::string chain,
                                                                 std::int64_t after,
                                                                 std::size_t limit) = 0;
  virtual async::Task<Result<std::vector<model::AuditHead>>> audit_heads() = 0;
  virtual async::Task<Result<std::vector<model::Template>>> templates() = 0;
  virtual async::Task<Result<std::vector<model::Key>>> keys() = 0;
  virtual async::Task<Result<std::vector<model::Tenant>>> tenants() = 0;
  virtual async::Task<Result<std::vector<ContextRow>>> contexts(SessionId session_id) = 0;
  virtual async::Task<Result<std::vector<SnapshotRow>>> snapshots(std::string tenant) = 0;
  // By name; an empty tenant is all of them.
  virtual async::Task<Result<std::vector<model::SecretInfo>>> secrets(std::string tenant) = 0;

  // Returns how many rows went. In small portions, so that nobody waits behind it.
  virtual async::Task<Result<std::uint64_t>> remove_old(Retention retention) = 0;
  // Whether a write would work now.
  virtual async::Task<Result<void>> ping() = 0;
  // After the last call: everything is on the disk and closed.
  virtual async::Task<void> close() = 0;
};

struct StoreOptions {
  async::Executor executor;
  std::string url;          // empty or "sqlite:": DATA/atoll.db; "postgres://…", "postgresql://…"
  std::string data_folder;  // database and outputs too large for a row
  // For commands such as `atoll key`: works while a server holds the data folder. Without it a
  // second store on the folder is kConflict.
  bool beside_server = false;
  // Keys that encrypt what must not lie in the database in clear (storage_key.hpp); empty: those of
  // the data folder. Beside a server there are none.
  std::string storage_key;
  bool renew_storage_key = false;  // makes a new one, and encrypts everything with it
};

// Opens, migrates to the newest schema, or says what to do.
async::Task<Result<std::unique_ptr<Store>>> open_store(StoreOptions options);

}  // namespace atl::store
