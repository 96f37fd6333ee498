#include "store/changes.hpp"

#include "store/audit_chain.hpp"
#include "store/statements.hpp"

namespace atl::store {
namespace {

// Labels are rewritten only when they are new: most writes of a session change its state.
Result<void> put_session(Connection& db, model::Session& row) {
  if (!detail::is_storable_text(row.id.str())) return detail::bad_column("id");
  std::string labels;
  bool is_known = false;
  ATOLL_CHECK(db.run("SELECT labels FROM sessions WHERE id = $1", {row.id.str()},
                     [&](const Row& found) -> Result<void> {
                       labels = found.text(0);
                       is_known = true;
                       return {};
                     }));
  ATOLL_CHECK(put_row(db, row));
  if (is_known && labels == codec::encode(row.labels)) return {};
  if (is_known) {
    ATOLL_CHECK(db.run("DELETE FROM session_labels WHERE session_id = $1", {row.id.str()}));
  }
  for (const auto& [name, value] : row.labels) {
    if (!detail::is_storable_text(name) || !detail::is_storable_text(value)) {
      return detail::bad_column("labels");
    }
    ATOLL_CHECK(db.run("INSERT INTO session_labels (session_id, name, value) VALUES ($1, $2, $3)",
                       {row.id.str(), name, value}));
  }
  return {};
}

Result<void> put_output(Connection& db, const model::Execution& row) {
  bool in_file = belongs_in_file(row.output);
  auto bytes = [&](const std::string& text) {
    return Bytes{in_file ? std::string_view("") : std::string_view(text)};
  };
  ATOLL_CHECK(
      db.run("INSERT INTO outputs (execution_id, in_file, stdout_bytes, stderr_bytes, merged) "
             "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (execution_id) DO UPDATE SET "
             "in_file = excluded.in_file, stdout_bytes = excluded.stdout_bytes, "
             "stderr_bytes = excluded.stderr_bytes, merged = excluded.merged",
             {row.id.str(), std::int64_t{in_file}, bytes(row.output.stdout_bytes),
              bytes(row.output.stderr_bytes), bytes(row.output.merged)}));
  return {};
}

struct Apply {
  Connection& db;

  Result<void> operator()(PutSession& change) const { return put_session(db, change.row); }
  Result<void> operator()(PutExecution& change) const {
    ATOLL_CHECK(put_row(db, change.row));
    if (!change.with_output) return {};
    return put_output(db, change.row);
  }
  Result<void> operator()(PutTemplate& change) const { return put_row(db, change.row); }
  Result<void> operator()(PutKey& change) const { return put_row(db, change.row); }
  Result<void> operator()(PutContext& change) const { return put_row(db, change.row); }
  Result<void> operator()(PutSnapshot& change) const { return put_row(db, change.row); }
  Result<void> operator()(PutSecret& change) const { return put_row(db, change.row); }
  Result<void> operator()(PutApproval& change) const { return put_row(db, change.row); }
  Result<void> operator()(PutTenant& change) const { return put_row(db, change.row); }
  Result<void> operator()(PutIdempotency& change) const { return put_row(db, change.row); }
  Result<void> operator()(AddIdempotency& change) const {
    ATOLL_TRY(bool added, add_row(db, change.row));
    if (!added)
      return fail(Code::kAlreadyExists, "a request with this Idempotency-Key came before");
    return {};
  }
  Result<void> operator()(AddTemplate& change) const {
    ATOLL_TRY(bool added, add_row(db, change.row));
    if (!added) return fail(Code::kAlreadyExists, "there is a template with this id");
    return {};
  }
  Result<void> operator()(AddAudit& change) const { return add_to_chain(db, change.row); }
  Result<void> operator()(RemoveTemplate& change) const {
    return remove("DELETE FROM templates WHERE id = $1", {change.id});
  }
  Result<void> operator()(RemoveContext& change) const {
    return remove("DELETE FROM contexts WHERE id = $1", {change.id.str()});
  }
  Result<void> operator()(RemoveSnapshot& change) const {
    return remove("DELETE FROM snapshots WHERE id = $1", {change.id});
  }
  Result<void> operator()(RemoveSecret& change) const {
    return remove("DELETE FROM secrets WHERE tenant = $1 AND name = $2",
                  {change.tenant, change.name});
  }
  Result<void> operator()(RemoveIdempotency& change) const {
    return remove("DELETE FROM idempotency WHERE tenant = $1 AND idempotency_key = $2",
                  {change.tenant, change.key});
  }

  // What is not there is as good as removed.
  Result<void> remove(const char* sql, std::initializer_list<Value> values) const {
    if (!are_storable(std::span(values.begin(), values.size()))) return {};
    ATOLL_CHECK(db.run(sql, values));
    return {};
  }
};

}  // namespace

Result<void> apply_change(Connection& db, Change& change) { return std::visit(Apply{db}, change); }

bool belongs_in_file(const model::Output& output) {
  return output.large != nullptr ||
         output.stdout_bytes.size() + output.stderr_bytes.size() + output.merged.size() >
             kMaxOutputInRow;
}

}  // namespace atl::store
