#include "config/environment.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "config/nearest.hpp"

namespace atl::config {
namespace {

// Those of the first prefix are the weaker ones.
constexpr std::array<std::string_view, 2> kPrefixes{"NANOBOT_", "ATOLL_"};

struct Target {
  const Variable* variable;
  const Node* node;
  std::size_t depth;
};

// ATOLL_SERVER with an address in it is for the commands that talk to a server, and no block.
bool is_address(std::string_view prefix, const Variable& variable) {
  return prefix == "ATOLL_" && variable.name == "ATOLL_SERVER" && !variable.value.starts_with('{');
}

bool is_ours(std::string_view prefix, std::string_view path, const Found& found) {
  if (found.node != nullptr) return found.node != &schema();
  if (path.find("__") == std::string_view::npos) return false;
  return prefix == "ATOLL_" || folded(path.substr(0, path.find("__"))) == "sandbox";
}

std::vector<Layer> layers_of(std::string_view prefix, const std::vector<Variable>& variables) {
  Layer complaints;
  std::vector<Target> targets;
  for (const Variable& variable : variables) {
    std::string_view path = variable.name;
    if (!path.starts_with(prefix)) continue;
    path.remove_prefix(prefix.size());
    Found found = find_path(path, "__");
    if (!is_ours(prefix, path, found) || is_address(prefix, variable)) continue;
    Origin origin{.kind = Origin::Kind::kEnvironment, .name = variable.name};
    if (found.node == nullptr) {
      complain_about(found, origin, complaints);
      continue;
    }
    auto depth = static_cast<std::size_t>(std::ranges::count(found.node->path, '.'));
    targets.push_back({.variable = &variable, .node = found.node, .depth = depth});
  }
  // A whole block first, so that a variable for one of its fields wins.
  std::ranges::sort(targets, {}, [](const Target& target) {
    return std::pair(target.depth, std::string_view(target.variable->name));
  });
  std::map<const Node*, const Variable*> seen;
  std::vector<Layer> layers;
  for (const Target& target : targets) {
    Origin origin{.kind = Origin::Kind::kEnvironment, .name = target.variable->name};
    auto [first, fresh] = seen.emplace(target.node, target.variable);
    if (!fresh) {
      complaints.complain(origin, pointer_of(*target.node),
                          "is set already, by " + first->second->name);
      continue;
    }
    layers.emplace_back().add_text(*target.node, target.variable->value, origin);
  }
  layers.push_back(std::move(complaints));
  return layers;
}

}  // namespace

std::vector<Variable> own_variables(const char* const* environment) {
  std::vector<Variable> variables;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    std::string_view text = *environment;
    std::size_t equals = text.find('=');
    bool ours =
        equals != std::string_view::npos &&
        std::ranges::any_of(kPrefixes, [&](auto prefix) { return text.starts_with(prefix); });
    if (!ours) continue;
    variables.push_back({.name = std::string(text.substr(0, equals)),
                         .value = std::string(text.substr(equals + 1))});
  }
  std::ranges::sort(variables, {}, &Variable::name);  // the order of the environment says nothing
  return variables;
}

void complain_about(const Found& missing, const Origin& origin, Layer& layer) {
  const Node& parent = *missing.parent;
  std::string pointer = pointer_to(pointer_of(parent), std::string(missing.rest));
  std::string detail = "is unknown" + suggestion(parent, missing.rest);
  if (parent.is_leaf()) detail = "is unknown: " + pointer_of(parent) + " is one value";
  layer.complain(origin, std::move(pointer), std::move(detail));
}

std::vector<Layer> environment_layers(const std::vector<Variable>& variables) {
  std::vector<Layer> layers;
  for (std::string_view prefix : kPrefixes) {
    std::ranges::move(layers_of(prefix, variables), std::back_inserter(layers));
  }
  return layers;
}

Found find_path(std::string_view path, std::string_view separator) {
  const Node* node = &schema();
  for (;;) {
    std::size_t end = path.find(separator);
    std::string_view step = path.substr(0, end);
    const Node* child = child_by_any_spelling(*node, step);
    if (child == nullptr) return {.parent = node, .rest = step};
    if (end == std::string_view::npos) return {.node = child};
    node = child;
    path.remove_prefix(end + separator.size());
  }
}

}  // namespace atl::config
