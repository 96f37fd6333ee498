#include "config/schema.hpp"

#include <algorithm>

#include "config/config.hpp"
#include "config/describe.hpp"
#include "config/nearest.hpp"

namespace atl::config {
namespace {

Node make_schema() {
  Node root;
  describe<Config>(root);
  return root;
}

// The name that a key has elsewhere in the tree, as a path.
std::string_view elsewhere(const Node& node, std::string_view name) {
  for (const Node& child : node.children) {
    if (folded(child.name) == folded(name)) return child.path;
    if (std::string_view found = elsewhere(child, name); !found.empty()) return found;
  }
  return {};
}

template <typename Same>
const Node* find_child(const Node& parent, std::string_view name, Same same) {
  for (const Node& child : parent.children) {
    if (same(child.name, name)) return &child;
  }
  if (parent.path != "sandbox") return nullptr;
  for (const BackendBlock* block : backend_blocks()) {
    if (!block->also_in_sandbox || !same(block->name, name)) continue;
    const Node* backends = find_child(parent, "backends", std::equal_to<>());
    return find_child(*backends, block->name, std::equal_to<>());
  }
  return nullptr;
}

}  // namespace

Node& Node::add_child(std::string child_name) {
  Node& child = children.emplace_back();
  child.path = path.empty() ? child_name : path + "." + child_name;
  child.name = std::move(child_name);
  return child;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    out.emplace_back(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out;
}

const Node& schema() {
  static const Node kRoot = make_schema();
  return kRoot;
}

const Node* child_of(const Node& parent, std::string_view name) {
  return find_child(parent, name, std::equal_to<>());
}

const Node* child_by_any_spelling(const Node& parent, std::string_view name) {
  return find_child(parent, name, [](std::string_view known, std::string_view typed) {
    return folded(known) == folded(typed);
  });
}

void for_each_leaf(const Node& node, const std::function<void(const Node&)>& visit) {
  if (node.is_leaf()) visit(node);
  for (const Node& child : node.children) for_each_leaf(child, visit);
}

std::string suggestion(const Node& parent, std::string_view name) {
  std::vector<std::string> names;
  for (const Node& child : parent.children) names.push_back(child.name);
  std::string_view best = nearest(name, names);
  if (best.empty()) best = elsewhere(schema(), name);
  return best.empty() ? "" : "; did you mean \"" + std::string(best) + "\"?";
}

}  // namespace atl::config
