// Nodes and backends: where sessions run, and what their walls are made of.
#include <algorithm>
#include <set>

#include <boost/json/array.hpp>

#include "api/common/text.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"
#include "node/host_figures.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

std::string default_backend(const Call& call, const node::Node& node) {
  auto origin = call.control().templates().find("python-default");
  if (origin) return node.backend_of(**origin);
  std::vector<std::string> open = node.backends();
  return open.empty() ? std::string() : open.front();
}

std::vector<std::string> capabilities(const Call& call, const node::Node& node) {
  const sandbox::Registry* registry = call.rest->options.registry;
  if (registry == nullptr) return {};
  std::set<std::string> names;
  for (const std::string& name : node.backends()) {
    auto entry = registry->get(name);
    if (!entry) continue;
    for (sandbox::Cap cap : (*entry)->caps) names.emplace(sandbox::cap_name(cap));
  }
  return {names.begin(), names.end()};
}

const char* health_of(const node::Node& node, const node::NodeResources& resources) {
  return node::health_of(node.is_lost(), resources.memory_used, resources.memory_total);
}

std::string now(const Call& call) { return rfc3339(call.control().clock().now()); }

bodies::RuntimeBody runtime_view(const Call& call, const node::Node& node) {
  node::NodeResources resources = node.resources();
  return {.id = node.id(),
          .type = default_backend(call, node),
          .endpoint = call.rest->options.endpoint ? call.rest->options.endpoint() : "",
          .capabilities = capabilities(call, node),
          .resources = {.cpu_total = resources.cpu_total,
                        .cpu_used = resources.cpu_used,
                        .memory_total = resources.memory_total >> 20,
                        .memory_used = resources.memory_used >> 20,
                        .session_count = call.control().sessions().live_count(node.id())},
          .health = health_of(node, resources),
          .last_heartbeat = now(call)};
}

Answer<const node::Node*> node_of(const Call& call) {
  const std::string& id = call.request().capture("id");
  if (const node::Node* node = call.control().placement().find(id)) return node;
  return refuse(Code::kNotFound, "there is no runtime " + id);
}

Task<Answer<http::Response>> list_runtimes(Call call) {
  bodies::RuntimeListBody body;
  for (const auto& node : call.control().placement().nodes()) {
    body.runtimes.push_back(runtime_view(call, *node));
  }
  co_return json_response(200, body);
}

Task<Answer<http::Response>> runtime_health(Call call) {
  ATOLL_CO_TRY(const node::Node* node, node_of(call));
  object view{{"id", json_text(node->id())},
              {"health", health_of(*node, node->resources())},
              {"last_heartbeat", now(call)}};
  co_return json_response(200, view);
}

Task<Answer<http::Response>> runtime_metrics(Call call) {
  ATOLL_CO_TRY(const node::Node* node, node_of(call));
  node::NodeResources resources = node->resources();
  double cpu = resources.cpu_total > 0 ? 100 * resources.cpu_used / resources.cpu_total : 0.0;
  object pools;
  for (const auto& [origin, figures] : node->pool_figures()) {
    if (!call.control().templates().find(call.caller, origin)) continue;
    pools[origin] =
        object{{"size", figures.ready}, {"hits", figures.hits}, {"misses", figures.misses}};
  }
  object view{{"id", json_text(node->id())},
              {"cpu_usage_percent", codec::to_json(cpu)},
              {"memory_usage_bytes", resources.memory_used},
              {"memory_total_bytes", resources.memory_total},
              {"session_count", call.control().sessions().live_count(node->id())},
              {"warm_pool", std::move(pools)}};
  co_return json_response(200, view);
}

object backend_view(const sandbox::BackendEntry& entry) {
  boost::json::array caps;
  for (sandbox::Cap cap : entry.caps) caps.push_back(json_text(sandbox::cap_name(cap)));
  Result<void> available = entry.probe ? entry.probe() : Result<void>();
  object view{{"name", json_text(entry.name)},
              {"status", json_text(sandbox::maturity_name(entry.status))},
              {"isolation", json_text(sandbox::isolation_name(entry.isolation))},
              {"capabilities", std::move(caps)},
              {"available", available.has_value()}};
  view["reason"] =
      available ? boost::json::value() : boost::json::value(json_text(available.error().message()));
  return view;
}

// Asking a backend whether it can run here may block.
Task<Answer<http::Response>> list_backends(Call call) {
  const sandbox::Registry* registry = call.rest->options.registry;
  boost::json::array all;
  if (registry != nullptr) {
    all = co_await async::on_pool(call.rest->pool, [registry] {
      boost::json::array views;
      for (const sandbox::BackendEntry& entry : registry->list()) {
        views.push_back(backend_view(entry));
      }
      return views;
    });
  }
  object view{{"backends", std::move(all)}};
  view["default"] = json_text(default_backend(call, *call.control().placement().nodes().front()));
  co_return json_response(200, view);
}

}  // namespace

void add_runtimes(Routes& routes) {
  routes.add(Method::kGet, "/runtimes", "listRuntimes", Access::kReader, list_runtimes);
  routes.add(Method::kGet, "/runtimes/{id}/health", "getRuntimeHealth", Access::kReader,
             runtime_health);
  routes.add(Method::kGet, "/runtimes/{id}/metrics", "getRuntimeMetrics", Access::kReader,
             runtime_metrics);
  routes.add(Method::kGet, "/backends", "listBackends", Access::kReader, list_backends);
}

}  // namespace atl::api::rest
