// Snapshots: the files of a sandbox, from which new ones are made. What runs in it is no part of
// them.
#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/e2b/call.hpp"

namespace atl::api::e2b {

namespace {

constexpr std::size_t kListed = 100;

object snapshot_view(const model::Snapshot& snapshot) {
  array names;
  if (!snapshot.name.empty()) names.push_back(value(json_text(snapshot.name)));
  return {{"snapshotID", snapshot.id}, {"names", std::move(names)}};
}

Task<Answer<http::Response>> create(Call call) {
  ATOLL_CO_TRY(object body, co_await read_object(call));
  ATOLL_CO_TRY(std::optional<std::string> name, text_member(body, "name", kMaxName));
  ATOLL_CO_TRY(auto made,
               co_await call.control().snapshots().create(
                   call.caller, SessionId(call.request().capture("id")), name.value_or("")));
  co_return json_response(201, snapshot_view(made.value));
}

// The newest first; nextToken is the id that the last page ended with.
Task<Answer<http::Response>> list(Call call) {
  const http::Request& request = call.request();
  std::size_t limit = kListed;
  if (auto text = request.find_query("limit"); text && !text->empty()) {
    auto number = to_number(*text);
    if (!number || *number == 0) {
      co_return refuse(Code::kInvalidArgument, "limit must be from 1 to 100");
    }
    limit = std::min<std::uint64_t>(*number, kListed);
  }
  std::string_view sandbox = request.query_value("sandboxID");
  std::string_view name = request.query_value("name");
  std::string_view after = request.query_value("nextToken");
  ATOLL_CO_TRY(std::vector<model::Snapshot> all,
               co_await call.control().snapshots().list(call.caller));
  std::ranges::sort(all, std::ranges::greater(), &model::Snapshot::id);
  array listed;
  std::string next;
  for (const model::Snapshot& one : all) {
    bool wanted = (sandbox.empty() || one.session_id.str() == sandbox) &&
                  (name.empty() || one.name == name) && (after.empty() || one.id < after);
    if (!wanted) continue;
    if (listed.size() == limit) {
      next = std::string(listed.back().at("snapshotID").get_string());
      break;
    }
    listed.push_back(snapshot_view(one));
  }
  http::Response response = json_response(200, std::move(listed));
  if (!next.empty()) response.headers.add("X-Next-Token", next);
  co_return response;
}

Task<Answer<http::Response>> remove(Call call) {
  ATOLL_CO_CHECK(
      co_await call.control().snapshots().remove(call.caller, call.request().capture("id")));
  co_return no_content();
}

}  // namespace

void add_snapshots(Routes& routes) {
  routes.add(Method::kPost, "/sandboxes/{id}/snapshots", "e2bCreateSnapshot", Access::kWriter,
             create);
  routes.add(Method::kGet, "/snapshots", "e2bListSnapshots", Access::kReader, list);
  routes.add(Method::kDelete, "/templates/{id}", "e2bDeleteSnapshot", Access::kWriter, remove);
}

}  // namespace atl::api::e2b
