// What clients change of a sandbox: its end, its lifetime, paused or not, its network; and its
// figures.
#include <algorithm>
#include <cmath>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/e2b/call.hpp"
#include "api/e2b/metrics.hpp"
#include "api/e2b/network.hpp"
#include "api/e2b/views.hpp"

namespace atl::api::e2b {

namespace {

using Renewal = control::SessionChanges::Renewal;
constexpr std::size_t kMostMetrics = 100;  // sandboxes in one request

SessionId id_of(const Call& call) { return SessionId(call.request().capture("id")); }

// One that lives: E2B forgets those that have ended.
Task<Answer<model::Session>> live(Call call) {
  ATOLL_CO_TRY(model::Session row,
               co_await call.control().sessions().get(call.caller, id_of(call)));
  if (model::is_final(row.state)) {
    co_return refuse(Code::kNotFound, "sandbox \"" + row.id.str() + "\" does not exist any more");
  }
  co_return row;
}

Task<Answer<http::Response>> kill(Call call) {
  ATOLL_CO_CHECK(co_await live(call));
  ATOLL_CO_CHECK(co_await call.control().session_ender().remove(call.caller, id_of(call)));
  co_return no_content();
}

Task<Answer<http::Response>> set_timeout(Call call) {
  ATOLL_CO_TRY(object body, co_await read_object(call));
  ATOLL_CO_TRY(std::optional<std::uint64_t> seconds,
               number_member(body, "timeout", 0, kMaxSeconds));
  if (!seconds) co_return refuse(Code::kInvalidArgument, "timeout is required");
  ATOLL_CO_CHECK(co_await live(call));
  // 0 ends it at once, as far as seconds go.
  ATOLL_CO_CHECK(co_await call.control().session_changes().renew(
      call.caller, id_of(call), std::max<std::uint64_t>(*seconds, 1)));
  co_return no_content();
}

// An older way to say it: never shortens.
Task<Answer<http::Response>> refresh(Call call) {
  ATOLL_CO_TRY(object body, co_await read_object(call));
  ATOLL_CO_TRY(std::optional<std::uint64_t> seconds,
               number_member(body, "duration", 0, kMaxSeconds));
  ATOLL_CO_TRY(model::Session row, co_await live(call));
  std::uint64_t wanted = std::max<std::uint64_t>(seconds.value_or(60), 1);
  ATOLL_CO_CHECK(co_await call.control().session_changes().renew(call.caller, row.id, wanted,
                                                                 Renewal::kAtLeast));
  co_return no_content();
}

// Kept for as long as a session can live, instead of until its time-out. What programs had in
// memory stays: `memory: false` asks for less than that, and gets it.
Task<Answer<http::Response>> pause(Call call) {
  ATOLL_CO_TRY([[maybe_unused]] object body, co_await read_object(call));
  ATOLL_CO_TRY(model::Session row, co_await live(call));
  if (row.state == model::SessionState::kPaused) {
    co_return refuse(Code::kConflict, "sandbox \"" + row.id.str() + "\" is already paused");
  }
  control::SessionChanges& changes = call.control().session_changes();
  std::uint64_t longest = call.control().session_maker().limits().max_timeout_seconds;
  ATOLL_CO_CHECK(co_await changes.pause(call.caller, row.id));
  ATOLL_CO_CHECK(co_await changes.renew(call.caller, row.id, longest));
  co_return no_content();
}

// Resumes, and gives it at least this much time. A running one keeps what it has if that is more.
Task<Answer<http::Response>> connect(Call call) {
  ATOLL_CO_TRY(object body, co_await read_object(call));
  ATOLL_CO_TRY(std::optional<std::uint64_t> timeout,
               number_member(body, "timeout", 0, kMaxSeconds));
  ATOLL_CO_TRY(model::Session row, co_await live(call));
  control::SessionChanges& changes = call.control().session_changes();
  bool paused = row.state == model::SessionState::kPaused;
  if (paused) {
    ATOLL_CO_TRY(row, co_await changes.resume(call.caller, row.id));
  }
  std::uint64_t seconds = std::max<std::uint64_t>(timeout.value_or(300), 1);
  ATOLL_CO_TRY(row, co_await changes.renew(call.caller, row.id, seconds,
                                           paused ? Renewal::kExactly : Renewal::kAtLeast));
  co_return json_response(paused ? 201 : 200, sandbox_view(call, row));
}

Task<Answer<http::Response>> resume(Call call) {
  ATOLL_CO_TRY(model::Session row, co_await live(call));
  if (row.state != model::SessionState::kPaused) {
    co_return refuse(Code::kConflict, "sandbox \"" + row.id.str() + "\" is not paused");
  }
  co_return co_await connect(std::move(call));
}

Task<Answer<http::Response>> put_network(Call call) {
  ATOLL_CO_TRY(object body, co_await read_object(call));
  ATOLL_CO_CHECK(co_await live(call));
  ATOLL_CO_TRY(std::optional<control::NetworkRequest> request, network_of(&body, std::nullopt));
  if (!request) {  // nothing said: everything is open, as far as the template goes
    request.emplace();
    request->at = "network";
    request->policy.default_ = model::NetworkAction::kAllow;
  }
  ATOLL_CO_CHECK(co_await call.control().session_network().replace(call.caller, id_of(call),
                                                                   std::move(*request)));
  co_return no_content();
}

Task<Answer<http::Response>> metrics(Call call) {
  ATOLL_CO_TRY(model::Session row, co_await live(call));
  if (row.state == model::SessionState::kPaused) co_return json_response(200, array());
  ATOLL_CO_TRY(Figures figures, co_await figures_of(call, row));
  array samples;
  samples.push_back(rest_view(figures));
  co_return json_response(200, samples);
}

// Of those that run; others are left out, as E2B does.
Task<Answer<http::Response>> metrics_of_many(Call call) {
  std::string ids(call.request().query_value("sandbox_ids"));
  std::vector<std::string_view> names = split(ids, ',');
  if (ids.empty() || names.size() > kMostMetrics) {
    co_return refuse(Code::kInvalidArgument, "sandbox_ids must name from 1 to 100 sandboxes");
  }
  object samples;
  for (std::string_view name : names) {
    auto row = co_await call.control().sessions().get(call.caller, SessionId(std::string(name)));
    if (!row || model::is_final(row->state) || row->state == model::SessionState::kPaused) continue;
    Answer<Figures> figures = co_await figures_of(call, std::move(*row));
    if (figures) samples[name] = rest_view(*figures);
  }
  co_return json_response(200, object{{"sandboxes", std::move(samples)}});
}

}  // namespace

void add_sandbox_changes(Routes& routes) {
  routes.add(Method::kDelete, "/sandboxes/{id}", "e2bKillSandbox", Access::kWriter, kill);
  routes.add(Method::kPost, "/sandboxes/{id}/timeout", "e2bSetTimeout", Access::kWriter,
             set_timeout);
  routes.add(Method::kPost, "/sandboxes/{id}/refreshes", "e2bRefresh", Access::kWriter, refresh);
  routes.add(Method::kPost, "/sandboxes/{id}/pause", "e2bPause", Access::kWriter, pause);
  routes.add(Method::kPost, "/sandboxes/{id}/resume", "e2bResume", Access::kWriter, resume);
  routes.add(Method::kPost, "/sandboxes/{id}/connect", "e2bConnect", Access::kWriter, connect);
  routes.add(Method::kPost, "/v2/sandboxes/{id}/connect", "e2bConnectV2", Access::kWriter, connect);
  routes.add(Method::kPut, "/sandboxes/{id}/network", "e2bPutNetwork", Access::kWriter,
             put_network);
  routes.add(Method::kGet, "/sandboxes/metrics", "e2bMetricsOfMany", Access::kReader,
             metrics_of_many);
  routes.add(Method::kGet, "/sandboxes/{id}/metrics", "e2bMetrics", Access::kReader, metrics);
}

}  // namespace atl::api::e2b
