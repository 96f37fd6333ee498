// What names and expressions of a Python text stand for.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "policy/syntax.hpp"
#include "policy/value.hpp"

namespace atl::policy {

class PythonNames {
 public:
  explicit PythonNames(const Tree& tree);

  Values evaluate(const Node& node, int depth = 0) const;
  // A call of what imports by name: __import__, import_module. Null: it is none.
  std::optional<Node> imported_by_call(const Node& call) const;

 private:
  void bind_unknowns(const Tree& tree);
  void learn(const Tree& tree);
  void learn_import(const Node& node);
  void learn_import_from(const Node& node);
  void bind_target(const Node& target, const Values& values);

  Values of_identifier(std::string_view name) const;
  Values of_attribute(const Node& node, int depth) const;
  Values of_subscript(const Node& node, int depth) const;
  Values of_call(const Node& node, int depth) const;
  Values of_method(const Node& call, const Node& function, int depth) const;
  Values in_namespace(const std::string& space, const Values& keys) const;
  Values looked_up(const Node& call, const std::string& object, std::string_view method,
                   int depth) const;
  Values of_string(const Node& node, int depth) const;
  Values joined(const Node& left, const Node& right, int depth) const;
  std::optional<std::string> list_joined(const Node& list, const std::string& between,
                                         int depth) const;

  Bindings bindings_;
  std::set<std::string> star_modules_;  // from X import *
};

}  // namespace atl::policy
