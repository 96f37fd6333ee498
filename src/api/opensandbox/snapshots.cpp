// /v1/snapshots, and those of one sandbox.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>

#include "api/common/limits.hpp"
#include "api/opensandbox/call.hpp"
#include "api/opensandbox/sandbox_view.hpp"

namespace atl::api::opensandbox {

namespace {

Task<Answer<http::Response>> create(Call call) {
  ATOLL_CO_TRY(TakeSnapshotBody body, co_await read_json<TakeSnapshotBody>(call));
  std::string name = std::move(body.name).value_or("");
  if (name.size() > kMaxName || name.find('\0') != name.npos) {
    co_return refuse_value("/name", "is too long, or has a NUL");
  }
  ATOLL_CO_TRY(
      control::Outcome<model::Snapshot> made,
      co_await call.control().snapshots().create(call.caller, call.session_id(), std::move(name)));
  http::Response response = json_response(202, snapshot_view(made.value));
  response.headers.add("Location", "/v1/snapshots/" + made.value.id);
  co_return response;
}

bool wanted(const Call& call, const model::Snapshot& row) {
  std::string_view sandbox = call.request().query_value("sandboxId");
  std::string_view name = call.request().query_value("name");
  bool any_state = true;
  bool ready = false;
  for (const auto& [given, value] : call.request().query) {
    if (given != "state") continue;
    any_state = false;
    ready |= value == "Ready";  // no snapshot is seen before it is
  }
  return (sandbox.empty() || row.session_id.str() == sandbox) &&
         (name.empty() || row.name == name) && (any_state || ready);
}

Task<Answer<http::Response>> list(Call call) {
  ATOLL_CO_TRY(std::uint64_t page, query_number(call, "page", 1, 1, 1'000'000));
  ATOLL_CO_TRY(std::uint64_t size, query_number(call, "pageSize", 20, 1, 200));
  ATOLL_CO_TRY(std::vector<model::Snapshot> rows,
               co_await call.control().snapshots().list(call.caller));
  std::erase_if(rows, [&](const model::Snapshot& row) { return !wanted(call, row); });
  boost::json::array items;
  for (std::uint64_t i = (page - 1) * size; i < std::min<std::uint64_t>(page * size, rows.size());
       ++i) {
    items.push_back(snapshot_view(rows[i]));
  }
  co_return json_response(200, object{{"items", std::move(items)},
                                      {"pagination", pagination(page, size, rows.size())}});
}

Task<Answer<http::Response>> get(Call call) {
  ATOLL_CO_TRY(model::Snapshot row, co_await call.control().snapshots().get(
                                        call.caller, call.request().capture("snapshot")));
  co_return json_response(200, snapshot_view(row));
}

Task<Answer<http::Response>> remove(Call call) {
  ATOLL_CO_CHECK(
      co_await call.control().snapshots().remove(call.caller, call.request().capture("snapshot")));
  co_return empty_response(204);
}

}  // namespace

void add_snapshots(Routes& routes) {
  routes.lifecycle(Method::kPost, "/sandboxes/{id}/snapshots", "create_snapshot", Access::kWriter,
                   create);
  routes.lifecycle(Method::kGet, "/snapshots", "list_snapshots", Access::kReader, list);
  routes.lifecycle(Method::kGet, "/snapshots/{snapshot}", "get_snapshot", Access::kReader, get);
  routes.lifecycle(Method::kDelete, "/snapshots/{snapshot}", "delete_snapshot", Access::kWriter,
                   remove);
}

}  // namespace atl::api::opensandbox
