// The server itself: health, readiness, figures, and what happens as it happens.
#include <chrono>

#include "api/common/text.hpp"
#include "api/rest/figures.hpp"
#include "api/rest/pulse.hpp"
#include "api/rest/query.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"
#include "async/deadline.hpp"
#include "http/sse.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

constexpr std::chrono::seconds kStoreTime{5};

Task<Answer<http::Response>> health(Call call) {
  co_return json_response(
      200, object{{"status", "ok"}, {"version", json_text(call.rest->options.version)}});
}

Task<Answer<http::Response>> ready(Call call) {
  const RestOptions& options = call.rest->options;
  if (options.draining && options.draining()) {
    co_return refuse(Code::kNoAvailableRuntime, "the server is about to stop");
  }
  if (call.control().is_lost()) {
    co_return refuse(Code::kNoAvailableRuntime, "the launcher is gone; the server is about to end");
  }
  Result<void> stored =
      co_await async::with_deadline(call.control().store().ping(), async::deadline_in(kStoreTime),
                                    Code::kTransferTimeout, "the store does not answer");
  if (!stored) co_return refuse(503, "store_unavailable", "the store cannot be written to");
  // Sessions can be made and used: requests to those that are not found yet wait for them.
  co_return json_response(
      200, object{{"status", "ready"}, {"recovering", call.control().sessions().finding_count()}});
}

Task<Answer<http::Response>> figures(Call call) {
  refresh(call.control(), call.rest->metrics);
  http::Response response{.body = call.rest->metrics.text()};
  response.headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  co_return response;
}

// From now on, or from behind Last-Event-ID as far as that is kept.
Task<Answer<void>> stream_events(Call call) {
  ATOLL_CO_CHECK(known_query(call, {}));
  std::optional<std::uint64_t> after;
  if (auto last = call.request().headers.find("last-event-id"); last && !last->empty()) {
    after = to_number(*last);
    if (!after) co_return refuse(Code::kInvalidArgument, "unknown Last-Event-ID");
  }
  std::unique_ptr<control::EventStream> events =
      call.control().events().follow(after, call.caller.tenant);
  http::SseWriter writer(*call.exchange);
  Pulse pulse(call.rest->options);
  Result<void> written = co_await writer.begin();
  while (written) {
    Result<std::optional<control::LifeEventPtr>> next = co_await async::with_deadline(
        events->next(), pulse.next(), Code::kTransferTimeout, "nothing happened");
    if (next && *next) {
      const control::LifeEvent& event = ***next;
      http::SseEvent said{.event = event.event,
                          .id = std::to_string(event.number),
                          .data = codec::encode(event_view(event))};
      written = co_await writer.send(std::move(said));
      pulse.said_something();
      continue;
    }
    Pulse::Beat beat = pulse.beat();
    if (beat == Pulse::Beat::kComment) written = co_await writer.comment();
    if (beat == Pulse::Beat::kEnd) {
      (void)co_await writer.finish();
      break;
    }
  }
  co_return Answer<void>();  // an Error was a client that went away
}

}  // namespace

void add_server(Routes& routes) {
  routes.add(Method::kGet, "/health", "getHealth", Access::kAnyone, health);
  routes.add(Method::kGet, "/ready", "getReady", Access::kAnyone, ready);
  routes.add(Method::kGet, "/metrics", "getMetrics", Access::kReader, figures);
  routes.add(Method::kGet, "/events", "streamEvents", Access::kReader, stream_events);
  routes.add_bare(Method::kGet, "/health", "getBareHealth", Access::kAnyone, health);
  routes.add_bare(Method::kGet, "/ready", "getBareReady", Access::kAnyone, ready);
  routes.add_bare(Method::kGet, "/metrics", "getBareMetrics", Access::kReader, figures);
}

}  // namespace atl::api::rest
