#include "store/database_store.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "observe/log.hpp"
#include "store/audit_chain.hpp"
#include "store/changes.hpp"
#include "store/queries.hpp"
#include "store/retention.hpp"
#include "store/statements.hpp"

namespace atl::store {
namespace {

// Executions of a write whose output goes into a file.
std::vector<const model::Execution*> with_files(const std::vector<Change>& changes) {
  std::vector<const model::Execution*> found;
  for (const Change& change : changes) {
    const auto* put = std::get_if<PutExecution>(&change);
    if (put != nullptr && put->with_output && belongs_in_file(put->row.output)) {
      found.push_back(&put->row);
    }
  }
  return found;
}

template <typename T>
Result<T> query_twice(Connection& db, const std::function<Result<T>(Connection&)>& query) {
  ATOLL_CHECK(db.ready());
  Result<T> answer = query(db);
  if (answer || !db.was_lost()) return answer;
  // The connection had died, perhaps long ago.
  ATOLL_CHECK(db.ready());
  return query(db);
}

}  // namespace

DatabaseStore::DatabaseStore(StoreParts parts)
    : lock_(std::move(parts.lock)),
      outputs_(std::move(parts.outputs)),
      writer_(std::move(parts.writer)),
      reader_(std::move(parts.reader)) {}

async::Task<Result<void>> DatabaseStore::write(std::vector<Change> changes) {
  auto shared = std::make_shared<std::vector<Change>>(std::move(changes));
  bool has_files = !with_files(*shared).empty();
  Result<void> done;
  if (has_files) {
    done = co_await write_files(shared);
    fault::here("store.output_file");
  }
  if (done) {
    done = co_await writer_.write([shared](Connection& db) -> Result<void> {
      for (Change& change : *shared) ATOLL_CHECK(apply_change(db, change));
      return {};
    });
  }
  if (!done && has_files) co_await drop_files(shared, done.error().code());
  co_return done;
}

async::Task<Result<void>> DatabaseStore::write_files(std::shared_ptr<std::vector<Change>> changes) {
  auto job = [this, changes]() -> Result<void> {
    for (const model::Execution* row : with_files(*changes)) {
      ATOLL_CHECK(outputs_.write(row->id, row->output));
    }
    return {};
  };
  co_return co_await async::on_pool(files_, std::move(job));
}

// After a write that failed. A file whose row is there, from a write before, stays. So does one of
// which the database cannot say yet whether its row will be: it goes at the next start.
async::Task<void> DatabaseStore::drop_files(std::shared_ptr<std::vector<Change>> changes,
                                            Code reason) {
  if (reason == Code::kNoAvailableRuntime) co_return;
  for (const model::Execution* row : with_files(*changes)) {
    ExecutionId id = row->id;
    Result<FoundOutput> found =
        co_await read<FoundOutput>([id](Connection& db) { return read_output(db, id); });
    if (!found || found->in_file) continue;
    co_await files_.run([this, id] { outputs_.remove(id.str()); });
  }
}

template <typename T>
async::Task<Result<T>> DatabaseStore::read(std::function<Result<T>(Connection&)> query) {
  auto job = [this, query = std::move(query)]() -> Result<T> {
    if (!reader_) return fail(Code::kConflict, "the store is closed");
    return query_twice<T>(*reader_, query);
  };
  co_return co_await async::on_pool(reading_, std::move(job));
}

async::Task<Result<model::Session>> DatabaseStore::session(SessionId id) {
  return read<model::Session>([id = std::move(id)](Connection& db) {
    return read_one<model::Session>(db, " WHERE id = $1", {id.str()}, "there is no such session");
  });
}

namespace {

struct FoundExecution {
  model::Execution row;
  bool in_file = false;
};

Result<FoundExecution> find_execution(Connection& db, const ExecutionId& id, bool with_output) {
  FoundExecution found;
  ATOLL_TRY(found.row, read_one<model::Execution>(db, " WHERE id = $1", {id.str()},
                                                  "there is no such execution"));
  if (!with_output) return found;
  ATOLL_TRY(FoundOutput output, read_output(db, id));
  found.row.output = std::move(output.output);
  found.in_file = output.in_file;
  return found;
}

}  // namespace

async::Task<Result<model::Execution>> DatabaseStore::execution(ExecutionId id, bool with_output) {
  ATOLL_CO_TRY(FoundExecution found,
               co_await read<FoundExecution>([id, with_output](Connection& db) {
                 return find_execution(db, id, with_output);
               }));
  if (found.in_file) {
    ATOLL_CO_TRY(found.row.output,
                 co_await async::on_pool(files_, [this, id] { return outputs_.read(id); }));
  }
  co_return std::move(found.row);
}

async::Task<Result<model::Template>> DatabaseStore::find_template(std::string id) {
  return read<model::Template>([id = std::move(id)](Connection& db) {
    return read_one<model::Template>(db, " WHERE id = $1", {id}, "there is no such template");
  });
}

async::Task<Result<model::Key>> DatabaseStore::key(std::string id) {
  return read<model::Key>([id = std::move(id)](Connection& db) {
    return read_one<model::Key>(db, " WHERE id = $1", {id}, "there is no such key");
  });
}

async::Task<Result<SnapshotRow>> DatabaseStore::snapshot(std::string id) {
  return read<SnapshotRow>([id = std::move(id)](Connection& db) {
    return read_one<SnapshotRow>(db, " WHERE id = $1", {id}, "there is no such snapshot");
  });
}

async::Task<Result<model::Secret>> DatabaseStore::secret(std::string tenant, std::string name) {
  return read<model::Secret>([tenant = std::move(tenant), name = std::move(name)](Connection& db) {
    return read_one<model::Secret>(db, " WHERE tenant = $1 AND name = $2", {tenant, name},
                                   "there is no such secret");
  });
}

async::Task<Result<model::Approval>> DatabaseStore::approval(ExecutionId id) {
  return read<model::Approval>([id = std::move(id)](Connection& db) {
    return read_one<model::Approval>(db, " WHERE id = $1", {id.str()}, "there is no such approval");
  });
}

async::Task<Result<IdempotencyRow>> DatabaseStore::idempotency(std::string tenant,
                                                               std::string key) {
  return read<IdempotencyRow>([tenant = std::move(tenant), key = std::move(key)](Connection& db) {
    return read_one<IdempotencyRow>(db, " WHERE tenant = $1 AND idempotency_key = $2",
                                    {tenant, key}, "no request with this key");
  });
}

async::Task<Result<std::vector<model::Session>>> DatabaseStore::sessions(SessionFilter filter,
                                                                         Page page) {
  return read<std::vector<model::Session>>(
      [filter = std::move(filter), page = std::move(page)](Connection& db) {
        return list_sessions(db, filter, page);
      });
}

async::Task<Result<std::vector<model::Execution>>> DatabaseStore::executions(ExecutionFilter filter,
                                                                             Page page) {
  return read<std::vector<model::Execution>>(
      [filter = std::move(filter), page = std::move(page)](Connection& db) {
        return list_executions(db, filter, page);
      });
}

async::Task<Result<std::vector<model::ApprovalInfo>>> DatabaseStore::approvals(
    ApprovalFilter filter, Page page) {
  return read<std::vector<model::ApprovalInfo>>(
      [filter = std::move(filter), page = std::move(page)](Connection& db) {
        return list_approvals(db, filter, page);
      });
}

async::Task<Result<std::vector<AuditRow>>> DatabaseStore::audit(AuditFilter filter, Page page) {
  std::vector<AuditRow> found;
  std::size_t limit = page.limit;
  for (;;) {
    page.limit = limit - found.size();
    ATOLL_CO_TRY(AuditPortion portion, co_await read<AuditPortion>([filter, page](Connection& db) {
                   return list_audit(db, filter, page);
                 }));
    std::ranges::move(portion.rows, std::back_inserter(found));
    if (found.size() >= limit || portion.looked_to.empty()) co_return found;
    page.after = std::move(portion.looked_to);
  }
}

async::Task<Result<std::vector<AuditRow>>> DatabaseStore::audit_chain(std::string chain,
                                                                      std::int64_t after,
                                                                      std::size_t limit) {
  return read<std::vector<AuditRow>>([chain = std::move(chain), after, limit](Connection& db) {
    return read_chain(db, chain, after, limit);
  });
}

async::Task<Result<std::vector<model::AuditHead>>> DatabaseStore::audit_heads() {
  return read<std::vector<model::AuditHead>>([](Connection& db) { return read_heads(db); });
}

async::Task<Result<std::vector<model::Template>>> DatabaseStore::templates() {
  return read<std::vector<model::Template>>(
      [](Connection& db) { return read_rows<model::Template>(db, " ORDER BY id", {}); });
}

async::Task<Result<std::vector<model::Key>>> DatabaseStore::keys() {
  return read<std::vector<model::Key>>(
      [](Connection& db) { return read_rows<model::Key>(db, " ORDER BY id", {}); });
}

async::Task<Result<std::vector<model::Tenant>>> DatabaseStore::tenants() {
  return read<std::vector<model::Tenant>>(
      [](Connection& db) { return read_rows<model::Tenant>(db, " ORDER BY id", {}); });
}

async::Task<Result<std::vector<ContextRow>>> DatabaseStore::contexts(SessionId session_id) {
  return read<std::vector<ContextRow>>([id = std::move(session_id)](Connection& db) {
    return read_some<ContextRow>(db, " WHERE session_id = $1 ORDER BY id", {id.str()});
  });
}

async::Task<Result<std::vector<SnapshotRow>>> DatabaseStore::snapshots(std::string tenant) {
  return read<std::vector<SnapshotRow>>([tenant = std::move(tenant)](Connection& db) {
    if (tenant.empty()) return read_rows<SnapshotRow>(db, " ORDER BY id DESC", {});
    return read_some<SnapshotRow>(db, " WHERE tenant = $1 ORDER BY id DESC", {tenant});
  });
}

async::Task<Result<std::vector<model::SecretInfo>>> DatabaseStore::secrets(std::string tenant) {
  return read<std::vector<model::SecretInfo>>([tenant = std::move(tenant)](Connection& db) {
    if (tenant.empty()) return read_rows<model::SecretInfo>(db, " ORDER BY tenant, name", {});
    return read_some<model::SecretInfo>(db, " WHERE tenant = $1 ORDER BY name", {tenant});
  });
}

async::Task<Result<std::uint64_t>> DatabaseStore::remove_old(Retention retention) {
  std::uint64_t removed = 0;
  for (;;) {
    auto portion = std::make_shared<RemovedPortion>();
    ATOLL_CO_CHECK(co_await writer_.write([retention, portion](Connection& db) -> Result<void> {
      ATOLL_TRY(*portion, remove_portion(db, retention));
      return {};
    }));
    if (portion->rows == 0) co_return removed;
    removed += portion->rows;
    if (portion->files.empty()) continue;
    co_await files_.run([this, portion] {
      for (const std::string& id : portion->files) outputs_.remove(id);
    });
  }
}

async::Task<Result<void>> DatabaseStore::ping() {
  co_return co_await writer_.write([](Connection& db) -> Result<void> {
    ATOLL_CHECK(
        db.run("INSERT INTO writers (id, number, seen_at) VALUES ('ping', 0, $1) "
               "ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at",
               {unix_ms(std::chrono::system_clock::now())}));
    return {};
  });
}

async::Task<void> DatabaseStore::close() {
  co_await writer_.close();
  co_await reading_.run([this] { reader_.reset(); });
  lock_.reset();
}

}  // namespace atl::store
