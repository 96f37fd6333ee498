#include "store/retention.hpp"

#include <algorithm>
#include <optional>

#include "base/ids.hpp"
#include "store/audit_chain.hpp"
#include "store/statements.hpp"

namespace atl::store {
namespace {

constexpr std::int64_t kPortion = 100;

std::int64_t number(Time time) { return time.time_since_epoch().count(); }

// Executions go before their sessions: a session may have any number of them.
Result<RemovedPortion> remove_executions(Connection& db, Time before) {
  RemovedPortion portion;
  std::vector<std::string> ids;
  ATOLL_CHECK(
      db.run("SELECT executions.id, COALESCE(outputs.in_file, 0) FROM sessions "
             "JOIN executions ON executions.session_id = sessions.id "
             "LEFT JOIN outputs ON outputs.execution_id = executions.id "
             "WHERE sessions.ended_at < $1 LIMIT $2",
             {number(before), kPortion}, [&](const Row& row) -> Result<void> {
               ids.emplace_back(row.text(0));
               if (row.integer(1) != 0) portion.files.push_back(ids.back());
               return {};
             }));
  for (const std::string& id : ids) {
    ATOLL_CHECK(db.run("DELETE FROM outputs WHERE execution_id = $1", {id}));
    ATOLL_TRY(std::uint64_t gone, db.run("DELETE FROM executions WHERE id = $1", {id}));
    portion.rows += gone;
  }
  return portion;
}

Result<std::uint64_t> remove_sessions(Connection& db, Time before) {
  std::vector<std::string> ids;
  ATOLL_CHECK(db.run("SELECT id FROM sessions WHERE ended_at < $1 LIMIT $2",
                     {number(before), kPortion}, [&](const Row& row) -> Result<void> {
                       ids.emplace_back(row.text(0));
                       return {};
                     }));
  std::uint64_t rows = 0;
  for (const std::string& id : ids) {
    ATOLL_TRY(std::uint64_t contexts, db.run("DELETE FROM contexts WHERE session_id = $1", {id}));
    ATOLL_TRY(std::uint64_t approvals, db.run("DELETE FROM approvals WHERE session_id = $1", {id}));
    ATOLL_CHECK(db.run("DELETE FROM session_labels WHERE session_id = $1", {id}));
    ATOLL_TRY(std::uint64_t sessions, db.run("DELETE FROM sessions WHERE id = $1", {id}));
    rows += contexts + approvals + sessions;
  }
  return rows;
}

// Tenant by tenant: the table is in the order of tenants and ids.
Result<std::uint64_t> remove_audit(Connection& db, Time before) {
  std::string first_kept =
      first_id_at(static_cast<std::uint64_t>(std::max<std::int64_t>(number(before), 0)));
  ATOLL_TRY(std::uint64_t chained, shorten_chains(db, first_kept, kPortion));
  if (chained > 0) return chained;
  // Rows of old versions are in no chain.
  std::string tenant;
  for (;;) {
    std::optional<std::string> next;
    ATOLL_CHECK(db.run("SELECT tenant FROM audit WHERE tenant > $1 ORDER BY tenant LIMIT 1",
                       {tenant}, [&](const Row& row) -> Result<void> {
                         next.emplace(row.text(0));
                         return {};
                       }));
    if (!next) return 0;
    tenant = std::move(*next);
    ATOLL_TRY(std::uint64_t gone,
              db.run("DELETE FROM audit WHERE tenant = $1 AND id IN (SELECT id FROM audit "
                     "WHERE tenant = $1 AND id < $2 AND seq IS NULL ORDER BY id LIMIT $3)",
                     {tenant, first_kept, kPortion}));
    if (gone > 0) return gone;
  }
}

}  // namespace

Result<RemovedPortion> remove_portion(Connection& db, const Retention& retention) {
  ATOLL_TRY(RemovedPortion portion, remove_executions(db, retention.sessions_ended_before));
  if (portion.rows > 0) return portion;
  ATOLL_TRY(portion.rows, remove_sessions(db, retention.sessions_ended_before));
  if (portion.rows > 0) return portion;
  ATOLL_TRY(portion.rows,
            db.run("DELETE FROM idempotency WHERE (tenant, idempotency_key) IN (SELECT tenant, "
                   "idempotency_key FROM idempotency WHERE created_at < $1 LIMIT $2)",
                   {number(retention.idempotency_before), kPortion}));
  if (portion.rows > 0) return portion;
  ATOLL_TRY(portion.rows, remove_audit(db, retention.audit_before));
  return portion;
}

}  // namespace atl::store
