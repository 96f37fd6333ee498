// From a described struct to nodes of the schema. For schema.cpp and the backends' config.cpp.
#pragma once

#include <algorithm>
#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "codec/json.hpp"
#include "config/network_presets.hpp"
#include "config/schema.hpp"

namespace atl::config {

// "Always IfNotPresent Never" as a list.
std::vector<std::string> words_of(std::string_view text);

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
    if (node.rule != nullptr) node.choices = words_of(node.rule->choices);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    node.kind = Node::Kind::kTexts;
  } else if constexpr (std::is_same_v<T, PresetConfigs>) {
    node.kind = Node::Kind::kPresets;
  } else {
    static_assert(std::is_same_v<T, std::map<std::string, std::string>>);
    node.kind = Node::Kind::kTextMap;
  }
}

// `node` has its name and path already.
template <typename T>
void describe(Node& node) {
  if constexpr (requires { T::describe(node); }) {
    T::describe(node);
  } else if constexpr (boost::describe::has_describe_members<T>::value) {
    using Members = boost::describe::describe_members<T, boost::describe::mod_public>;
    boost::mp11::mp_for_each<Members>([&](auto entry) {
      using Type = std::remove_cvref_t<decltype(std::declval<T>().*entry.pointer)>;
      describe<Type>(node.add_child(codec::member_name(entry.name, codec::is_camel_case<T>())));
    });
  } else {
    describe_leaf<T>(node);
  }
}

}  // namespace atl::config
