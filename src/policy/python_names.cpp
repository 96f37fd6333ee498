#include "policy/python_names.hpp"

#include <algorithm>
#include <array>
#include <ranges>

#include "policy/python_text.hpp"

namespace atl::policy {
namespace {

constexpr int kMaxDepth = 60;
constexpr int kRounds = 4;  // of learning: a = b, b = c, …

Node argument(const Node& call, std::size_t index) {
  Node list = call.field("arguments");
  std::size_t at = 0;
  for (const Node& child : list.children()) {
    if (child.is("comment") || child.is("keyword_argument")) continue;
    if (at++ == index) return child;
  }
  return {};
}

// "builtins.eval" is eval, however the module was reached.
std::string without_builtins(std::string path) {
  for (std::string_view prefix : {"builtins.", "__builtins__.", "__builtin__."}) {
    if (path.starts_with(prefix)) return path.substr(prefix.size());
  }
  return path;
}

bool is_namespace_call(std::string_view path) {
  return path == "globals()" || path == "locals()" || path == "vars()" || path == "sys.modules" ||
         path == "__builtins__" || path == "builtins" || path == "__dict__" ||
         path.ends_with(".__dict__") || path.starts_with("vars(");
}

}  // namespace

PythonNames::PythonNames(const Tree& tree) {
  bind_unknowns(tree);
  for (int round = 0; round < kRounds; ++round) {
    std::size_t before = bindings_.size();
    learn(tree);
    if (bindings_.size() == before) break;
  }
}

// Parameters, loop variables and definitions hide built-ins, unless they are deleted again.
void PythonNames::bind_unknowns(const Tree& tree) {
  std::set<std::string> deleted;
  for (const Node& node : tree.nodes()) {
    if (!node.is("delete_statement")) continue;
    for (const Node& child : node.children()) deleted.emplace(child.text());
  }
  auto hide = [&](const Node& name) {
    if (name.is("identifier") && !deleted.contains(std::string(name.text()))) {
      bindings_.bind_unknown(name.text());
    }
  };
  auto hide_all = [&](const Node& pattern) {
    hide(pattern);
    for (const Node& child : pattern.children()) hide(child);
  };
  for (const Node& node : tree.nodes()) {
    std::string_view kind = node.kind();
    if (kind == "function_definition" || kind == "class_definition") {
      // A method does not hide a name of the module.
      Node scope =
          node.parent().is("decorated_definition") ? node.parent().parent() : node.parent();
      if (!scope.parent().is("class_definition")) hide(node.field("name"));
    } else if (kind == "parameters" || kind == "lambda_parameters") {
      for (const Node& child : node.children()) {
        hide(child);
        hide(child.field("name"));
        hide(child.child_count() > 0 ? child.child(0) : Node());
      }
    } else if (kind == "for_statement" || kind == "for_in_clause") {
      hide_all(node.field("left"));
    } else if (kind == "as_pattern_target") {
      hide_all(node.child(0));
    }
  }
}

void PythonNames::learn(const Tree& tree) {
  for (const Node& node : tree.nodes()) {
    std::string_view kind = node.kind();
    if (kind == "import_statement") {
      learn_import(node);
    } else if (kind == "import_from_statement") {
      learn_import_from(node);
    } else if (kind == "assignment" && node.field("right")) {
      bind_target(node.field("left"), evaluate(node.field("right")));
    } else if (kind == "named_expression") {
      bind_target(node.field("name"), evaluate(node.field("value")));
    } else if (kind == "default_parameter" || kind == "keyword_argument") {
      if (node.field("name").is("identifier") && kind == "default_parameter") {
        bindings_.bind(node.field("name").text(), evaluate(node.field("value")));
      }
    } else if (kind == "augmented_assignment" && node.field("left").is("identifier")) {
      bindings_.bind(node.field("left").text(), joined(node.field("left"), node.field("right"), 0));
    } else if (kind == "as_pattern" && node.child_count() == 2) {
      Node target = node.child(1).child(0);
      if (target.is("identifier")) bindings_.bind(target.text(), evaluate(node.child(0)));
    } else if ((kind == "for_statement" || kind == "for_in_clause") &&
               node.field("left").is("identifier")) {
      // for f in (eval, print): any of them
      for (const Node& item : node.field("right").children()) {
        bindings_.bind(node.field("left").text(), evaluate(item));
      }
    }
  }
}

void PythonNames::bind_target(const Node& target, const Values& values) {
  if (target.is("identifier")) {
    bindings_.bind(target.text(), values);
  } else if (target.is("pattern_list") || target.is("tuple_pattern") || target.is("list_pattern")) {
    Node right = target.parent().field("right");
    std::vector<Node> names = target.children();
    std::vector<Node> items = right.children();
    bool paired = right.is("expression_list") || right.is("tuple") || right.is("list");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!names[i].is("identifier")) continue;
      bindings_.bind(names[i].text(), paired && i < items.size() ? evaluate(items[i]) : Values());
    }
  }
}

void PythonNames::learn_import(const Node& node) {
  for (const Node& child : node.children()) {
    if (child.is("aliased_import")) {
      bindings_.bind(child.field("alias").text(),
                     {path_value(std::string(child.field("name").text()))});
    } else if (child.is("dotted_name")) {
      std::string_view root = child.text().substr(0, child.text().find('.'));
      bindings_.bind(root, {path_value(std::string(root))});
    }
  }
}

void PythonNames::learn_import_from(const Node& node) {
  Node module = node.field("module_name");
  std::string from(module.text());
  for (const Node& child : node.children()) {
    if (child == module) continue;
    if (child.is("wildcard_import")) {
      star_modules_.insert(from);
    } else if (child.is("aliased_import")) {
      std::string path = from + "." + std::string(child.field("name").text());
      bindings_.bind(child.field("alias").text(), {path_value(without_builtins(path))});
    } else if (child.is("dotted_name")) {
      std::string path = from + "." + std::string(child.text());
      bindings_.bind(child.text(), {path_value(without_builtins(path))});
    }
  }
}

Values PythonNames::evaluate(const Node& node, int depth) const {
  if (!node || depth > kMaxDepth) return {};
  std::string_view kind = node.kind();
  if (kind == "identifier") return of_identifier(node.text());
  if (kind == "attribute") return of_attribute(node, depth);
  if (kind == "subscript") return of_subscript(node, depth);
  if (kind == "call") return of_call(node, depth);
  if (kind == "string") return of_string(node, depth);
  if (kind == "concatenated_string") {
    std::string whole;
    for (const Node& part : node.children()) {
      Values values = of_string(part, depth + 1);
      if (values.empty()) return {};
      whole += values.front().text;
    }
    return {text_value(std::move(whole))};
  }
  if (kind == "parenthesized_expression" || kind == "await")
    return evaluate(node.child(0), depth + 1);
  if (kind == "named_expression") return evaluate(node.field("value"), depth + 1);
  if (kind == "binary_operator" && node.field("operator").text() == "+") {
    return joined(node.field("left"), node.field("right"), depth);
  }
  if (kind == "boolean_operator" || kind == "conditional_expression") {
    Values values;
    for (const Node& child : node.children()) {
      for (Value& value : evaluate(child, depth + 1)) add_value(values, std::move(value));
    }
    return values;
  }
  return {};
}

// A name that nothing binds is a built-in, or what an earlier cell of a context imported.
Values PythonNames::of_identifier(std::string_view name) const {
  if (bindings_.has(name)) return bindings_.of(name);
  Values values{path_value(std::string(name))};
  for (const std::string& module : star_modules_) {
    add_value(values, path_value(without_builtins(module + "." + std::string(name))));
  }
  return values;
}

Values PythonNames::of_attribute(const Node& node, int depth) const {
  Values values;
  std::string name(node.field("attribute").text());
  for (const Value& object : evaluate(node.field("object"), depth + 1)) {
    if (object.is_path()) add_value(values, path_value(without_builtins(object.text + "." + name)));
  }
  return values;
}

// The names of the module, and those that importing has put there.
Values PythonNames::in_namespace(const std::string& space, const Values& keys) const {
  Values values;
  for (const Value& key : keys) {
    if (!key.is_text()) continue;
    Values named = of_identifier(key.text);
    if (space.ends_with(".__dict__")) {
      std::string owner = space.substr(0, space.size() - 9);
      named = {path_value(without_builtins(owner + "." + key.text))};
    }
    for (Value& value : named) add_value(values, std::move(value));
  }
  return values;
}

Values PythonNames::of_subscript(const Node& node, int depth) const {
  Values values;
  Node index = node.field("subscript");
  Values keys = evaluate(index, depth + 1);
  for (const Value& object : evaluate(node.field("value"), depth + 1)) {
    if (object.is_text() && index.is("slice") && index.text() == "::-1") {
      add_value(values, text_value(std::string(object.text.rbegin(), object.text.rend())));
    }
    if (!object.is_path() || !is_namespace_call(object.text)) continue;
    for (Value& value : in_namespace(object.text, keys)) add_value(values, std::move(value));
  }
  return values;
}

std::optional<Node> PythonNames::imported_by_call(const Node& call) const {
  for (const Value& function : evaluate(call.field("function"))) {
    static constexpr std::array kImporters{"__import__",           "importlib.import_module",
                                           "importlib.__import__", "imp.load_module",
                                           "runpy.run_module",     "pkgutil.resolve_name"};
    if (function.is_path() && std::ranges::find(kImporters, function.text) != kImporters.end()) {
      return argument(call, 0);
    }
  }
  return std::nullopt;
}

Values PythonNames::of_call(const Node& node, int depth) const {
  Node function = node.field("function");
  if (function.is("attribute")) {
    if (Values values = of_method(node, function, depth); !values.empty()) return values;
  }
  Values values;
  for (const Value& callee : evaluate(function, depth + 1)) {
    if (!callee.is_path()) continue;
    const std::string& path = callee.text;
    Values first = evaluate(argument(node, 0), depth + 1);
    if (path == "getattr") {
      for (const Value& name : evaluate(argument(node, 1), depth + 1)) {
        for (const Value& object : first) {
          if (!object.is_path() || !name.is_text()) continue;
          add_value(values, path_value(without_builtins(object.text + "." + name.text)));
        }
      }
    } else if (path == "vars" && !first.empty() && first.front().is_path()) {
      add_value(values, path_value(first.front().text + ".__dict__"));
    } else if (path == "__import__" || path == "importlib.import_module") {
      for (const Value& name : first) {
        if (name.is_text()) add_value(values, path_value(name.text));
      }
    } else if (std::optional<std::string> text = called_text(path, first, argument(node, 0))) {
      add_value(values, text_value(std::move(*text)));
    } else {
      add_value(values, path_value(path + "()"));
    }
  }
  return values;
}

// globals().get("eval"), os.__getattribute__("system"), object.__getattribute__(os, "system")
Values PythonNames::looked_up(const Node& call, const std::string& object, std::string_view method,
                              int depth) const {
  Values first = evaluate(argument(call, 0), depth + 1);
  bool reads =
      method == "get" || method == "pop" || method == "__getitem__" || method == "setdefault";
  if (reads && is_namespace_call(object)) return in_namespace(object, first);
  if (method != "__getattribute__" && method != "__getattr__") return {};
  bool of_class = object == "object" || object == "type";
  Values owners = of_class ? first : Values{path_value(object)};
  Values names = of_class ? evaluate(argument(call, 1), depth + 1) : first;
  Values values;
  for (const Value& owner : owners) {
    for (const Value& name : names) {
      if (!owner.is_path() || !name.is_text()) continue;
      add_value(values, path_value(without_builtins(owner.text + "." + name.text)));
    }
  }
  return values;
}

// Methods of texts whose text is known.
Values PythonNames::of_method(const Node& call, const Node& function, int depth) const {
  Values values;
  std::string_view name = function.field("attribute").text();
  for (const Value& object : evaluate(function.field("object"), depth + 1)) {
    if (object.is_path()) {
      for (Value& value : looked_up(call, object.text, name, depth)) add_value(values, value);
      continue;
    }
    if (name == "join") {
      if (std::optional<std::string> text =
              list_joined(argument(call, 0), object.text, depth + 1)) {
        add_value(values, text_value(std::move(*text)));
      }
      continue;
    }
    Values first = evaluate(argument(call, 0), depth + 1);
    Values second = evaluate(argument(call, 1), depth + 1);
    std::optional<std::string> text =
        method_text(object.text, name, first.empty() ? nullptr : &first.front().text,
                    second.empty() ? nullptr : &second.front().text);
    if (text) add_value(values, text_value(std::move(*text)));
  }
  return values;
}

std::optional<std::string> PythonNames::list_joined(const Node& list, const std::string& between,
                                                    int depth) const {
  std::string whole;
  if (list.is("call")) {  // reversed("lave"), map(chr, [101, …])
    std::vector<std::string> parts;
    std::string_view name = list.field("function").text();
    Values text = evaluate(argument(list, 0), depth + 1);
    if (name == "reversed" && !text.empty() && text.front().is_text()) {
      return std::string(text.front().text.rbegin(), text.front().text.rend());
    }
    if (name != "map" || argument(list, 0).text() != "chr") return std::nullopt;
    for (const Node& item : argument(list, 1).children()) {
      std::optional<std::string> letter = letter_of(item.text());
      if (!letter) return std::nullopt;
      whole += (whole.empty() ? "" : between) + *letter;
    }
    return whole;
  }
  if (!list.is("list") && !list.is("tuple")) return std::nullopt;
  bool is_first = true;
  for (const Node& item : list.children()) {
    Values values = evaluate(item, depth + 1);
    if (values.empty() || !values.front().is_text()) return std::nullopt;
    if (!is_first) whole += between;
    whole += values.front().text;
    is_first = false;
    if (whole.size() > kMaxText) return std::nullopt;
  }
  return whole;
}

Values PythonNames::joined(const Node& left, const Node& right, int depth) const {
  Values values;
  Values ends = evaluate(right, depth + 1);
  for (const Value& start : evaluate(left, depth + 1)) {
    for (const Value& end : ends) {
      if (start.is_text() && end.is_text()) add_value(values, text_value(start.text + end.text));
    }
  }
  return values;
}

Values PythonNames::of_string(const Node& node, int depth) const {
  std::string whole;
  bool raw = string_is_raw(node.text());
  std::uint32_t at = 0;
  for (const Node& part : node.children()) {
    if (part.is("string_start")) {
      at = part.end();
    } else if (part.is("interpolation")) {
      whole += unescaped(node.text().substr(at - node.begin(), part.begin() - at), raw);
      at = part.end();
      Values values = evaluate(part.child(0), depth + 1);
      if (values.empty() || !values.front().is_text()) return {};
      whole += values.front().text;
    } else if (part.is("string_end")) {
      whole += unescaped(node.text().substr(at - node.begin(), part.begin() - at), raw);
    }
  }
  return {text_value(std::move(whole))};
}

}  // namespace atl::policy
