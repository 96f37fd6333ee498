#include "api/rest/figures.hpp"

#include <map>
#include <optional>
#include <string>

#include "codec/json.hpp"

namespace atl::api::rest {

namespace {

using model::ExecutionState;

// Turns the stream of events into counts. Begins that never end (nobody publishes their end, or it
// was missed) are bounded.
class Follower {
 public:
  explicit Follower(observe::Metrics& metrics)
      : metrics_(metrics),
        create_(metrics.histogram("session_create_duration_seconds",
                                  "From the request for a session to its being ready",
                                  observe::seconds_buckets())),
        execute_(metrics.histogram("execution_duration_seconds",
                                   "From the start of an execution to its end",
                                   observe::seconds_buckets())) {}

  void take(const control::LifeEvent& event) {
    if (event.event == "file_changed") return;
    if (event.execution_id.empty()) {
      take_session(event);
    } else {
      take_execution(event);
    }
  }

 private:
  static constexpr std::size_t kMost = 10'000;
  using Begun = std::map<std::string, model::Time>;

  void take_session(const control::LifeEvent& event) {
    if (event.event == "session_created") begin(creating_, event.session_id, event.time);
    if (event.status == "creating") return;
    if (auto time = end(creating_, event.session_id, event.time); time && event.status == "ready") {
      create_.observe(*time);
    }
  }

  void take_execution(const control::LifeEvent& event) {
    if (event.status == "running") begin(running_, event.execution_id, event.time);
    if (event.status == "running" || event.status == "queued" ||
        event.status == "awaiting_approval") {
      return;
    }
    auto time = end(running_, event.execution_id, event.time);
    metrics_.counter("executions_total", "Executions that ended", {{"status", event.status}}).add();
    if (event.status != "completed") {
      metrics_
          .counter("executions_errors_total", "Executions that ended in any way but by themselves",
                   {{"status", event.status}})
          .add();
    }
    if (time) execute_.observe(*time);
  }

  static void begin(Begun& begun, const std::string& id, model::Time time) {
    if (begun.size() >= kMost) begun.erase(begun.begin());  // ids sort by time: the oldest
    begun.emplace(id, time);
  }

  static std::optional<double> end(Begun& begun, const std::string& id, model::Time time) {
    auto found = begun.find(id);
    if (found == begun.end()) return std::nullopt;
    double seconds = std::chrono::duration<double>(time - found->second).count();
    begun.erase(found);
    return seconds;
  }

  observe::Metrics& metrics_;
  observe::Histogram& create_;
  observe::Histogram& execute_;
  Begun creating_, running_;
};

}  // namespace

async::Task<void> follow_events(control::Control* control, observe::Metrics* metrics) {
  Follower follower(*metrics);
  std::unique_ptr<control::EventStream> events = control->events().follow(std::nullopt, {});
  for (;;) {
    Result<std::optional<control::LifeEventPtr>> event = co_await events->next();
    if (event && *event) follower.take(***event);
  }
}

void refresh(control::Control& control, observe::Metrics& metrics) {
  double live = static_cast<double>(control.sessions().live_count());
  metrics.counter("sessions_created_total", "Sessions that were made")
      .raise_to(control.session_maker().created_total());
  metrics.gauge("sessions_active", "Sessions that have a sandbox or are about to").set(live);
  double healthy = 0;
  for (const std::unique_ptr<node::Node>& node : control.placement().nodes()) {
    if (!node->is_lost()) ++healthy;
    observe::Labels here{{"runtime", node->id()}};
    node::NodeResources resources = node->resources();
    double cpu = resources.cpu_total > 0 ? 100 * resources.cpu_used / resources.cpu_total : 0.0;
    metrics.gauge("runtime_cpu_usage_percent", "Share of a node's processors in use", here)
        .set(cpu);
    metrics.gauge("runtime_memory_usage_bytes", "Memory of a node in use", here)
        .set(static_cast<double>(resources.memory_used));
    metrics.gauge("runtime_session_count", "Sessions of a node", here)
        .set(static_cast<double>(control.sessions().live_count(node->id())));
  }
  metrics.gauge("runtime_nodes_healthy", "Nodes that take sessions").set(healthy);
  control::Approvals::Figures approvals = control.approvals().figures();
  metrics.gauge("approvals_waiting", "Executions that wait for a person")
      .set(static_cast<double>(approvals.waiting));
  for (const auto& [state, count] : approvals.decided) {
    metrics
        .counter("approvals_decided_total", "Executions that waited for a person",
                 {{"decision", codec::enum_name(state)}})
        .raise_to(count);
  }
  for (const auto& [origin, figures] : control.placement().pool_figures()) {
    observe::Labels labels{{"template", origin}};
    metrics.gauge("warm_pool_size", "Sandboxes that wait for a session", labels)
        .set(static_cast<double>(figures.ready));
    metrics.counter("warm_pool_hits_total", "Sessions that took a waiting sandbox", labels)
        .raise_to(figures.hits);
    metrics.counter("warm_pool_misses_total", "Sessions that found none that fits", labels)
        .raise_to(figures.misses);
  }
}

}  // namespace atl::api::rest
