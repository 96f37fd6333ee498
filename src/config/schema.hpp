// The fields of Config as a tree that can be walked without knowing their types: what the loader,
// the listing and the reference share. Made from the structs once; read-only, any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/rules.hpp"

namespace atl::config {

struct Node {
  enum class Kind : std::uint8_t {
    kObject,
    kBoolean,
    kInteger,
    kText,
    kChoice,
    kTexts,    // a list of strings
    kTextMap,  // from string to string
    kPresets,  // network_presets.hpp
  };

  Kind kind = Kind::kObject;
  std::string name;  // as it is written in a file
  std::string path;  // "sandbox.network.allowedDomains"; empty: the root
  std::vector<std::string> choices;
  std::vector<Node> children;  // kObject
  const Rule* rule = nullptr;  // of everything else

  bool is_leaf() const { return kind != Kind::kObject; }
  Node& add_child(std::string child_name);
};

const Node& schema();

// By the name as it is written, or by any spelling of it; some backends' blocks may also stand in
// `sandbox` itself (BackendBlock::also_in_sandbox). nullptr when there is none.
const Node* child_of(const Node& parent, std::string_view name);
const Node* child_by_any_spelling(const Node& parent, std::string_view name);

void for_each_leaf(const Node& node, const std::function<void(const Node&)>& visit);

// `; did you mean "backend"?`, or nothing.
std::string suggestion(const Node& parent, std::string_view name);

}  // namespace atl::config
