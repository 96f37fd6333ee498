// What names and expressions of a JavaScript or TypeScript text stand for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/syntax.hpp"
#include "policy/value.hpp"

namespace atl::policy {

class JavaScriptNames {
 public:
  explicit JavaScriptNames(const Tree& tree);

  Values evaluate(const Node& node, int depth = 0) const;
  // The argument of require(…) and import(…). Null: the call is neither.
  std::optional<Node> imported_by_call(const Node& call) const;

 private:
  void bind_unknowns(const Tree& tree);
  void learn(const Tree& tree);
  void learn_import(const Node& node);
  void bind_pattern(const Node& pattern, const Values& values);
  Values of_member(const Node& node, int depth) const;
  Values of_call(const Node& node, int depth) const;
  Values of_text_method(const Node& call, const Node& function, int depth) const;
  Values below(const Values& objects, const std::string& name) const;
  std::optional<std::string> text_of(const Node& string) const;
  std::optional<std::string> array_joined(const Node& array, const std::string& between,
                                          int depth) const;

  Bindings bindings_;
};

Node javascript_argument(const Node& call, std::size_t index);
// "node:fs/promises" is fs.promises.
std::string module_path(std::string name);

}  // namespace atl::policy
