// /metrics of execd: what the sandbox uses of its limits, at once and once a second.
#include <algorithm>
#include <chrono>
#include <utility>

#include "api/opensandbox/call.hpp"
#include "async/deadline.hpp"

namespace atl::api::opensandbox {

namespace {

Task<Answer<object>> measure(Call call) {
  ATOLL_CO_TRY(model::Session row,
               co_await call.control().sessions().get(call.caller, call.session_id()));
  ATOLL_CO_TRY(control::SessionUsage usage,
               co_await call.control().sessions().usage(call.caller, call.session_id()));
  double cores = row.config.resources.cpu.value_or(0);
  if (cores == 0) {
    Result<model::TemplatePtr> origin = call.control().templates().find(row.template_id);
    cores = origin ? (*origin)->spec.resources.cpu : 1;
  }
  // Their percentage is of all that there is, here of what the sandbox may have.
  co_return object{
      {"cpu_count", cores},
      {"cpu_used_pct", std::clamp(usage.cpu_usage_percent / std::max(cores, 0.01), 0.0, 100.0)},
      {"mem_total_mib", usage.memory_limit_mb},
      {"mem_used_mib", usage.memory_usage_mb},
      {"timestamp", unix_ms(call.control().clock().wall())}};
}

Task<Answer<http::Response>> get(Call call) {
  ATOLL_CO_TRY(object figures, co_await measure(call));
  co_return json_response(200, figures);
}

// An object a second, until the client goes or the sandbox ends.
Task<Answer<void>> watch(Call call) {
  ATOLL_CO_TRY(object figures, co_await measure(call));
  http::Headers headers{{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-cache"}};
  ATOLL_CO_CHECK(co_await call.exchange->begin(200, std::move(headers)));
  for (;;) {
    std::string line = codec::serialize(figures) + "\n\n";
    ATOLL_CO_CHECK(co_await call.exchange->write(line));
    co_await async::sleep_for(std::chrono::seconds(1));
    Answer<object> next = co_await measure(call);
    if (!next) break;
    figures = std::move(*next);
  }
  (void)co_await call.exchange->finish();
  co_return Answer<void>();
}

}  // namespace

void add_metrics(Routes& routes) {
  routes.execd(Method::kGet, "/metrics", "metrics", Access::kReader, get);
  routes.execd(Method::kGet, "/metrics/watch", "watch_metrics", Access::kReader, watch);
}

}  // namespace atl::api::opensandbox
