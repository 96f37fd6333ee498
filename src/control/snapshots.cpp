#include "control/snapshots.hpp"

#include <utility>

#include "base/fault.hpp"
#include "base/ids.hpp"
#include "control/audit.hpp"

namespace atl::control {

using async::Task;
using model::AuditAction;

namespace {

store::Change recorded(const Caller& caller, AuditAction action, const model::Snapshot& row) {
  return store::AddAudit{
      audit_row(caller, {.action = action, .session_id = row.session_id, .detail = row.id})};
}

}  // namespace

Snapshots::Snapshots(store::Store& store, const Clock& clock, Sessions& sessions,
                     SnapshotFiles& files, const Tenants& tenants, const node::Amount& most)
    : store_(store),
      clock_(clock),
      sessions_(sessions),
      files_(files),
      tenants_(tenants),
      ledger_("snapshot", most) {}

Task<Result<void>> Snapshots::load() {
  ATOLL_CO_TRY(std::vector<model::Snapshot> rows, co_await store_.snapshots({}));
  for (const model::Snapshot& row : rows) {
    ledger_.add(row.tenant, {.count = 1, .bytes = row.size});
  }
  left_ = co_await files_.names();
  co_return Result<void>();
}

Task<void> Snapshots::remove_forgotten() {
  for (const std::string& file : std::exchange(left_, {})) {
    Result<model::Snapshot> row = co_await store_.snapshot(file);
    if (!row && row.error().code() == Code::kNotFound) co_await files_.remove(file);
  }
}

Task<Result<Outcome<model::Snapshot>>> Snapshots::create(Caller caller, SessionId id,
                                                         std::string name, Once once) {
  if (once.earlier()) co_return co_await created_before(std::move(caller), *once.earlier());
  ATOLL_CO_CHECK(tenants_.check_snapshots(caller.tenant, ledger_.count(caller.tenant)));
  ATOLL_CO_TRY(node::Ledger::Reservation place, ledger_.reserve(caller.tenant, {.count = 1}));
  ATOLL_CO_TRY(Use use, co_await sessions_.use(caller, id));
  model::Snapshot row{.id = make_sortable_id(),
                      .session_id = std::move(id),
                      .tenant = caller.tenant,
                      .name = std::move(name)};
  row.file = row.id;
  ATOLL_CO_TRY(row.size, co_await files_.save(&use.sandbox(), row.file, &place));
  row.created_at = clock_.now();
  fault::here("snapshot.file");
  std::vector<store::Change> changes;
  once.add_to(changes, {.kind = model::MadeKind::kSnapshot, .id = row.id});
  changes.push_back(store::PutSnapshot{row});
  changes.push_back(recorded(caller, AuditAction::kSnapshotCreated, row));
  Result<void> written = co_await store_.write(std::move(changes));
  fault::here("snapshot.written");
  if (!written) {
    co_await files_.remove(row.file);
    co_return fail(written.error());
  }
  place.keep();
  co_return Outcome<model::Snapshot>{.value = std::move(row)};
}

Task<Result<Outcome<model::Snapshot>>> Snapshots::created_before(Caller caller, model::Made made) {
  Result<model::Snapshot> row = co_await get(std::move(caller), made.id);
  if (!row && row.error().code() == Code::kNotFound) co_return fail(gone_since(made));
  if (!row) co_return fail(row.error());
  co_return Outcome<model::Snapshot>{.value = std::move(*row), .replayed = true};
}

Task<Result<std::vector<model::Snapshot>>> Snapshots::list(Caller caller) {
  co_return co_await store_.snapshots(std::move(caller.tenant));
}

Task<Result<model::Snapshot>> Snapshots::get(Caller caller, std::string id) {
  Result<model::Snapshot> row = co_await store_.snapshot(id);
  bool hidden = row && row->tenant != caller.tenant;
  if (hidden || (!row && row.error().code() == Code::kNotFound)) {
    co_return fail(Code::kNotFound, "there is no snapshot " + id);
  }
  co_return row;
}

// First the row: a file without one is removed at the next start, but a row needs its file.
Task<Result<void>> Snapshots::remove(Caller caller, std::string id) {
  ATOLL_CO_TRY(model::Snapshot row, co_await get(caller, std::move(id)));
  std::vector<store::Change> changes;
  changes.push_back(store::RemoveSnapshot{row.id});
  changes.push_back(recorded(caller, AuditAction::kSnapshotDeleted, row));
  ATOLL_CO_CHECK(co_await store_.write(std::move(changes)));
  ledger_.remove(row.tenant, {.count = 1, .bytes = row.size});
  fault::here("snapshot.removed");
  co_await files_.remove(row.file);
  co_return Result<void>();
}

}  // namespace atl::control
