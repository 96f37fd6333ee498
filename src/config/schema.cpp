#include "config/schema.hpp"

#include <algorithm>
#include <map>

#include "codec/json.hpp"
#include "config/config.hpp"
#include "config/nearest.hpp"

namespace atl::config {
namespace {

std::string join(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    out.emplace_back(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out;
}

template <typename T>
void describe(Node& node);

template <typename T>
void describe_leaf(Node& node) {
  node.rule = rule_of(node.path);
  if constexpr (std::is_same_v<T, bool>) {
    node.kind = Node::Kind::kBoolean;
  } else if constexpr (std::is_enum_v<T>) {
    node.kind = Node::Kind::kChoice;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto entry) {
      std::string name = codec::enumerator_name(entry.name);
      std::ranges::replace(name, '_', '-');
      node.choices.push_back(std::move(name));
    });
  } else if constexpr (std::unsigned_integral<T>) {
    node.kind = Node::Kind::kInteger;
  } else if constexpr (std::is_same_v<T, std::string>) {
    node.kind = Node::Kind::kText;
    if (node.rule != nullptr) node.choices = words(node.rule->choices);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    node.kind = Node::Kind::kTexts;
  } else {
    static_assert(std::is_same_v<T, std::map<std::string, std::string>>);
    node.kind = Node::Kind::kTextMap;
  }
}

template <typename T>
void describe(Node& node) {
  if constexpr (boost::describe::has_describe_members<T>::value) {
    using Members = boost::describe::describe_members<T, boost::describe::mod_public>;
    boost::mp11::mp_for_each<Members>([&](auto entry) {
      using Type = std::remove_cvref_t<decltype(std::declval<T>().*entry.pointer)>;
      Node& child = node.children.emplace_back();
      child.name = codec::member_name(entry.name, codec::is_camel_case<T>());
      child.path = join(node.path, child.name);
      describe<Type>(child);
    });
  } else {
    describe_leaf<T>(node);
  }
}

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
  if (parent.path == "sandbox" && same("opensandbox", name)) {
    const Node* backends = find_child(parent, "backends", std::equal_to<>());
    return find_child(*backends, "opensandbox", std::equal_to<>());
  }
  return nullptr;
}

}  // namespace

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
