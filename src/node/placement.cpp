#include "node/placement.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace atl::node {

using async::Task;

namespace {

// How well a node suits a template: the larger the better.
using Suits = std::pair<bool, std::uint64_t>;

Suits suits(const Node& node, const std::string& template_id) {
  std::map<std::string, PoolFigures> pool = node.pool_figures();
  auto shelf = pool.find(template_id);
  NodeResources resources = node.resources();
  return {shelf != pool.end() && shelf->second.ready > 0,
          resources.memory_total - std::min(resources.memory_used, resources.memory_total)};
}

}  // namespace

Result<Node*> Placement::choose(const model::Template& origin,
                                const model::SessionConfig& config) const {
  std::vector<Node*> able;
  std::optional<Error> why;
  for (const std::unique_ptr<Node>& node : nodes_) {
    if (node->is_lost()) continue;
    Result<void> can = node->check(origin, config);
    if (can) able.push_back(node.get());
    if (!can && !why) why = can.error();
  }
  if (able.size() == 1) return able.front();
  if (!able.empty()) {
    return *std::ranges::max_element(able, {},
                                     [&](const Node* node) { return suits(*node, origin.id); });
  }
  if (why) return fail(std::move(*why));
  return fail(Code::kNoAvailableRuntime,
              "the launcher is gone and this server is about to end; try again later");
}

Node* Placement::find(const std::string& runtime_node) const {
  auto found = std::ranges::find(nodes_, runtime_node,
                                 [](const auto& node) -> const std::string& { return node->id(); });
  return found == nodes_.end() ? nullptr : found->get();
}

bool Placement::is_lost() const {
  return std::ranges::all_of(nodes_, [](const auto& node) { return node->is_lost(); });
}

Task<Result<void>> Placement::open() {
  for (const std::unique_ptr<Node>& node : nodes_) ATOLL_CO_CHECK(co_await node->open_default());
  opened_ = true;
  co_return Result<void>();
}

void Placement::keep_ready(const std::vector<TemplatePtr>& templates) {
  if (!opened_) return;
  for (const std::unique_ptr<Node>& node : nodes_) node->keep_ready(templates);
}

std::map<std::string, PoolFigures> Placement::pool_figures() const {
  std::map<std::string, PoolFigures> all;
  for (const std::unique_ptr<Node>& node : nodes_) {
    for (const auto& [id, figures] : node->pool_figures()) {
      PoolFigures& sum = all[id];
      sum.ready += figures.ready;
      sum.hits += figures.hits;
      sum.misses += figures.misses;
    }
  }
  return all;
}

void Placement::stop_waiting() {
  stops_ = true;
  for (const std::unique_ptr<Node>& node : nodes_) node->stop_waiting();
}

Task<void> Placement::shut_down() {
  for (const std::unique_ptr<Node>& node : nodes_) co_await node->shut_down();
}

}  // namespace atl::node
