#include <boost/json/array.hpp>

#include "api/limits.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/body_checks.hpp"
#include "api/rest/once.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/snapshot_files.hpp"
#include "api/rest/views.hpp"
#include "base/fault.hpp"

namespace atl::api::rest {

namespace {

using node::Ledger;
using http::Method;
using model::AuditAction;
using store::SnapshotRow;

http::Response created(const SnapshotRow& row) {
  http::Response response = json_response(201, snapshot_view(row));
  response.headers.add("Location", "/api/v1/snapshots/" + row.id);
  return response;
}

Task<Answer<http::Response>> created_before(Call call, model::Made made) {
  auto row = co_await call.control().store().snapshot(made.id);
  if (row) co_return mark_replayed(created(*row), true);
  if (row.error().code() != Code::kNotFound) {
    co_return std::unexpected<Refusal>(std::move(row).error());
  }
  co_return std::unexpected<Refusal>(control::gone_since(made));
}

Task<Answer<http::Response>> create_snapshot(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call, kMaxSmallBody));
  ATOLL_CO_TRY(SnapshotBody body, decode_body<SnapshotBody>(text));
  ATOLL_CO_CHECK(check_text(body.name, "/name", kMaxName));
  ATOLL_CO_TRY(control::Once once, co_await begin_once(call, std::move(text)));
  if (once.earlier()) co_return co_await created_before(call, *once.earlier());
  store::Store& store = call.control().store();
  ATOLL_CO_TRY(Ledger::Reservation place,
               call.control().snapshot_ledger().reserve(call.caller.tenant, {.count = 1}));
  ATOLL_CO_TRY(control::Use use,
               co_await call.control().sessions().use(call.caller, call.session_id()));
  std::string id = make_sortable_id();
  ATOLL_CO_TRY(std::uint64_t size, co_await save_snapshot(call.rest, &use.sandbox(), id, &place));
  auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(call.control().clock().wall());
  SnapshotRow row{.id = id,
                  .session_id = call.session_id(),
                  .tenant = call.caller.tenant,
                  .name = std::move(body.name).value_or(""),
                  .size = size,
                  .file = id,
                  .created_at = now};
  fault::here("snapshot.file");
  std::vector<store::Change> changes;
  once.add_to(changes, {.kind = model::MadeKind::kSnapshot, .id = id});
  changes.push_back(store::PutSnapshot{row});
  changes.push_back(store::AddAudit{control::audit_row(
      call.caller,
      {.action = AuditAction::kSnapshotCreated, .session_id = row.session_id, .detail = id})});
  Result<void> written = co_await store.write(std::move(changes));
  fault::here("snapshot.written");
  if (!written) {
    co_await remove_snapshot_file(call.rest, row.file);
    co_return std::unexpected<Refusal>(std::move(written).error());
  }
  place.keep();
  co_return created(row);
}

Task<Answer<SnapshotRow>> find(Call call) {
  std::string id = call.request().capture("id");
  auto row = co_await call.control().store().snapshot(id);
  if (row && row->tenant == call.caller.tenant) co_return std::move(*row);
  if (!row && row.error().code() != Code::kNotFound) {
    co_return std::unexpected<Refusal>(std::move(row).error());
  }
  co_return refuse(Code::kNotFound, "there is no snapshot " + id);
}

Task<Answer<http::Response>> list_snapshots(Call call) {
  ATOLL_CO_TRY(std::vector<SnapshotRow> rows,
               co_await call.control().store().snapshots(call.caller.tenant));
  boost::json::array all;
  for (const SnapshotRow& row : rows) all.push_back(snapshot_view(row));
  co_return json_response(200, object{{"snapshots", std::move(all)}});
}

Task<Answer<http::Response>> get_snapshot(Call call) {
  ATOLL_CO_TRY(SnapshotRow row, co_await find(call));
  co_return json_response(200, snapshot_view(row));
}

// First the row: a file without one is swept away, a row without its file would be a lie.
Task<Answer<http::Response>> delete_snapshot(Call call) {
  ATOLL_CO_TRY(SnapshotRow row, co_await find(call));
  std::vector<store::Change> changes;
  changes.push_back(store::RemoveSnapshot{row.id});
  changes.push_back(store::AddAudit{control::audit_row(
      call.caller,
      {.action = AuditAction::kSnapshotDeleted, .session_id = row.session_id, .detail = row.id})});
  ATOLL_CO_CHECK(co_await call.control().store().write(std::move(changes)));
  call.control().snapshot_ledger().remove(row.tenant, {.count = 1, .bytes = row.size});
  fault::here("snapshot.removed");
  co_await remove_snapshot_file(call.rest, row.file);
  co_return no_content();
}

}  // namespace

void add_snapshots(Routes& routes) {
  routes.add(Method::kPost, "/sessions/{id}/snapshots", "createSnapshot", create_snapshot);
  routes.add(Method::kGet, "/snapshots", "listSnapshots", list_snapshots);
  routes.add(Method::kGet, "/snapshots/{id}", "getSnapshot", get_snapshot);
  routes.add(Method::kDelete, "/snapshots/{id}", "deleteSnapshot", delete_snapshot);
}

}  // namespace atl::api::rest
