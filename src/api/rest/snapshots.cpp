#include <boost/json/array.hpp>

#include "api/common/limits.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

Task<Answer<http::Response>> create_snapshot(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call, kMaxSmallBody));
  ATOLL_CO_TRY(bodies::TakeSnapshotBody body, decode_body<bodies::TakeSnapshotBody>(text));
  ATOLL_CO_CHECK(check_text(body.name, "/name", kMaxName));
  ATOLL_CO_TRY(control::Once once, co_await begin_once(call, std::move(text)));
  ATOLL_CO_TRY(
      control::Outcome<model::Snapshot> made,
      co_await call.control().snapshots().create(
          call.caller, call.session_id(), std::move(body.name).value_or(""), std::move(once)));
  http::Response response = json_response(201, snapshot_view(made.value));
  response.headers.add("Location", "/api/v1/snapshots/" + made.value.id);
  co_return mark_replayed(std::move(response), made.replayed);
}

Task<Answer<http::Response>> list_snapshots(Call call) {
  ATOLL_CO_TRY(std::vector<model::Snapshot> rows,
               co_await call.control().snapshots().list(call.caller));
  bodies::SnapshotListBody body;
  for (const model::Snapshot& row : rows) body.snapshots.push_back(snapshot_view(row));
  co_return json_response(200, body);
}

Task<Answer<http::Response>> get_snapshot(Call call) {
  ATOLL_CO_TRY(model::Snapshot row,
               co_await call.control().snapshots().get(call.caller, call.request().capture("id")));
  co_return json_response(200, snapshot_view(row));
}

Task<Answer<http::Response>> delete_snapshot(Call call) {
  ATOLL_CO_CHECK(
      co_await call.control().snapshots().remove(call.caller, call.request().capture("id")));
  co_return no_content();
}

}  // namespace

void add_snapshots(Routes& routes) {
  routes.add(Method::kPost, "/sessions/{id}/snapshots", "createSnapshot", Access::kWriter,
             create_snapshot);
  routes.add(Method::kGet, "/snapshots", "listSnapshots", Access::kReader, list_snapshots);
  routes.add(Method::kGet, "/snapshots/{id}", "getSnapshot", Access::kReader, get_snapshot);
  routes.add(Method::kDelete, "/snapshots/{id}", "deleteSnapshot", Access::kWriter,
             delete_snapshot);
}

}  // namespace atl::api::rest
