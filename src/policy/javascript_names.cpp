#include "policy/javascript_names.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "policy/python_text.hpp"

namespace atl::policy {
namespace {

constexpr int kMaxDepth = 60;
constexpr int kRounds = 4;

// globalThis.eval is eval.
std::string without_globals(std::string path) {
  for (bool again = true; again;) {
    again = false;
    for (std::string_view prefix : {"globalThis.", "global.", "window.", "self.", "this."}) {
      if (!path.starts_with(prefix)) continue;
      path = path.substr(prefix.size());
      again = true;
    }
  }
  return path;
}

bool is_function(const Node& node) {
  static constexpr std::array<std::string_view, 6> kFunctions{
      "arrow_function",     "function",          "function_expression",
      "generator_function", "method_definition", "function_declaration"};
  return std::ranges::find(kFunctions, node.kind()) != kFunctions.end();
}

Node unwrapped(Node node) {
  while (node.is("parenthesized_expression") || node.is("await_expression")) node = node.child(0);
  return node;
}

}  // namespace

Node javascript_argument(const Node& call, std::size_t index) {
  std::size_t at = 0;
  for (const Node& child : call.field("arguments").children()) {
    if (!child.is("comment") && at++ == index) return child;
  }
  return {};
}

std::string module_path(std::string name) {
  if (name.starts_with("node:")) name.erase(0, 5);
  std::ranges::replace(name, '/', '.');
  return name;
}

JavaScriptNames::JavaScriptNames(const Tree& tree) {
  bind_unknowns(tree);
  for (int round = 0; round < kRounds; ++round) {
    std::size_t before = bindings_.size();
    learn(tree);
    if (bindings_.size() == before) break;
  }
}

void JavaScriptNames::bind_unknowns(const Tree& tree) {
  for (const Node& node : tree.nodes()) {
    if (node.is("function_declaration") || node.is("class_declaration")) {
      bindings_.bind_unknown(node.field("name").text());
    } else if (node.is("formal_parameters")) {
      for (const Node& child : node.children()) {
        Node name = child.is("identifier") ? child : child.field("pattern");
        if (name.is("identifier")) bindings_.bind_unknown(name.text());
      }
    } else if (node.is("arrow_function") && node.field("parameter")) {
      bindings_.bind_unknown(node.field("parameter").text());
    } else if (node.is("catch_clause") && node.field("parameter").is("identifier")) {
      bindings_.bind_unknown(node.field("parameter").text());
    }
  }
}

void JavaScriptNames::learn(const Tree& tree) {
  for (const Node& node : tree.nodes()) {
    if (node.is("variable_declarator")) {
      Node value = node.field("value");
      bind_pattern(node.field("name"), value ? evaluate(value) : Values());
    } else if (node.is("assignment_expression")) {
      bind_pattern(node.field("left"), evaluate(node.field("right")));
    } else if (node.is("import_statement")) {
      learn_import(node);
    }
  }
}

void JavaScriptNames::bind_pattern(const Node& pattern, const Values& values) {
  if (pattern.is("identifier")) {
    bindings_.bind(pattern.text(), values);
    return;
  }
  if (!pattern.is("object_pattern")) return;
  for (const Node& part : pattern.children()) {
    if (part.is("shorthand_property_identifier_pattern")) {
      bindings_.bind(part.text(), below(values, std::string(part.text())));
    } else if (part.is("pair_pattern")) {
      Node key = part.field("key");
      Values names = {text_value(std::string(key.text()))};
      if (key.is("computed_property_name")) names = evaluate(key.child(0));
      for (const Value& name : names) {
        if (name.is_text()) bind_pattern(part.field("value"), below(values, name.text));
      }
    }
  }
}

void JavaScriptNames::learn_import(const Node& node) {
  std::optional<std::string> source = text_of(node.field("source"));
  Node clause = node.first("import_clause");
  if (!source || !clause) return;
  std::string module = module_path(*source);
  for (const Node& part : clause.children()) {
    if (part.is("identifier")) {
      bindings_.bind(part.text(), {path_value(module)});
    } else if (part.is("namespace_import")) {
      bindings_.bind(part.child(0).text(), {path_value(module)});
    } else if (part.is("named_imports")) {
      for (const Node& one : part.children()) {
        Node name = one.field("name");
        Node alias = one.field("alias") ? one.field("alias") : name;
        std::string path =
            name.text() == "default" ? module : module + "." + std::string(name.text());
        bindings_.bind(alias.text(), {path_value(path)});
      }
    }
  }
}

Values JavaScriptNames::below(const Values& objects, const std::string& name) const {
  Values values;
  for (const Value& object : objects) {
    if (!object.is_path()) continue;
    // The default export of a module that is required is the module.
    std::string path = name == "default" ? object.text : object.text + "." + name;
    add_value(values, path_value(without_globals(std::move(path))));
  }
  return values;
}

std::optional<std::string> JavaScriptNames::text_of(const Node& string) const {
  if (!string.is("string") || string.text().size() < 2) return std::nullopt;
  return unescaped(string.text().substr(1, string.text().size() - 2), false);
}

Values JavaScriptNames::evaluate(const Node& node, int depth) const {
  if (!node || depth > kMaxDepth) return {};
  std::string_view kind = node.kind();
  if (kind == "identifier" || kind == "this" || kind == "shorthand_property_identifier") {
    if (bindings_.has(node.text())) return bindings_.of(node.text());
    return {path_value(std::string(node.text()))};
  }
  if (kind == "string") {
    std::optional<std::string> text = text_of(node);
    return text ? Values{text_value(*text)} : Values();
  }
  if (kind == "template_string") {
    std::string whole;
    std::uint32_t at = node.begin() + 1;
    for (const Node& part : node.children()) {
      if (!part.is("template_substitution")) continue;
      Values inner = evaluate(part.child(0), depth + 1);
      if (inner.empty() || !inner.front().is_text()) return {};
      whole += node.text().substr(at - node.begin(), part.begin() - at);
      whole += inner.front().text;
      at = part.end();
    }
    whole += node.text().substr(at - node.begin(), node.end() - 1 - at);
    return {text_value(unescaped(whole, false))};
  }
  if (kind == "member_expression" || kind == "subscript_expression") return of_member(node, depth);
  if (kind == "call_expression") return of_call(node, depth);
  if (kind == "new_expression") {
    Values values;
    for (const Value& made : evaluate(node.field("constructor"), depth + 1)) {
      if (made.is_path()) add_value(values, path_value(made.text + "()"));
    }
    return values;
  }
  if (kind == "parenthesized_expression" || kind == "await_expression" || kind == "as_expression" ||
      kind == "non_null_expression") {
    return evaluate(node.child(0), depth + 1);
  }
  if (kind == "sequence_expression") {
    std::vector<Node> parts = node.children();
    return parts.empty() ? Values() : evaluate(parts.back(), depth + 1);
  }
  if (kind == "assignment_expression") return evaluate(node.field("right"), depth + 1);
  bool plus = kind == "binary_expression" && node.field("operator").text() == "+";
  Values values;
  if (plus) {
    Values ends = evaluate(node.field("right"), depth + 1);
    for (const Value& start : evaluate(node.field("left"), depth + 1)) {
      for (const Value& end : ends) {
        if (start.is_text() && end.is_text()) add_value(values, text_value(start.text + end.text));
      }
    }
  } else if (kind == "binary_expression" || kind == "ternary_expression") {
    for (const Node& child : node.children()) {
      for (Value& value : evaluate(child, depth + 1)) add_value(values, std::move(value));
    }
  }
  return values;
}

Values JavaScriptNames::of_member(const Node& node, int depth) const {
  Node object = unwrapped(node.field("object"));
  Values names;
  if (node.is("member_expression")) {
    names = {text_value(std::string(node.field("property").text()))};
  } else {
    names = evaluate(node.field("index"), depth + 1);
  }
  Values objects = evaluate(object, depth + 1);
  Values values;
  for (const Value& name : names) {
    if (!name.is_text()) continue;
    // The constructor of a function, and of a constructor, is Function.
    bool of_function = is_function(object) || object.text().ends_with("constructor") ||
                       object.text().ends_with("[\"constructor\"]") ||
                       object.is("call_expression") || object.is("class");
    if (name.text == "constructor" && of_function) {
      add_value(values, path_value("Function"));
    } else if (name.text == "constructor") {
      add_value(values, path_value("?.constructor"));
    }
    for (Value& value : below(objects, name.text)) add_value(values, std::move(value));
  }
  return values;
}

std::optional<Node> JavaScriptNames::imported_by_call(const Node& call) const {
  Node function = call.field("function");
  if (function.is("import")) return javascript_argument(call, 0);
  for (const Value& value : evaluate(function)) {
    bool loads = value.text == "require" || value.text.ends_with(".require") ||
                 value.text == "process.getBuiltinModule" || value.text == "module._load" ||
                 value.text == "module.Module._load" ||
                 value.text.starts_with("module.createRequire()");
    if (value.is_path() && loads) return javascript_argument(call, 0);
  }
  return std::nullopt;
}

Values JavaScriptNames::of_call(const Node& node, int depth) const {
  Node function = node.field("function");
  if (function.is("member_expression")) {
    if (Values values = of_text_method(node, function, depth); !values.empty()) return values;
  }
  Values values;
  Node first = javascript_argument(node, 0);
  if (std::optional<Node> imported = imported_by_call(node)) {
    for (const Value& name : evaluate(*imported, depth + 1)) {
      if (name.is_text()) add_value(values, path_value(module_path(name.text)));
    }
    return values;
  }
  for (const Value& callee : evaluate(function, depth + 1)) {
    if (!callee.is_path()) continue;
    Values texts = evaluate(first, depth + 1);
    if (callee.text == "String.fromCharCode") {
      std::string whole;
      for (const Node& number : node.field("arguments").children()) {
        whole += letter_of(number.text()).value_or("");
      }
      add_value(values, text_value(std::move(whole)));
    } else if (callee.text == "Reflect.get") {
      for (const Value& name : evaluate(javascript_argument(node, 1), depth + 1)) {
        if (!name.is_text()) continue;
        for (Value& value : below(texts, name.text)) add_value(values, std::move(value));
      }
    } else if (callee.text.ends_with(".bind")) {
      add_value(values, path_value(callee.text.substr(0, callee.text.size() - 5)));
    } else if (callee.text == "Buffer.from" && !texts.empty() && texts.front().is_text()) {
      Values form = evaluate(javascript_argument(node, 1), depth + 1);
      bool encoded = !form.empty() && form.front().text.starts_with("base64");
      std::optional<std::string> text =
          encoded ? called_text("atob", texts, first) : texts.front().text;
      if (text) add_value(values, text_value(std::move(*text)));
    } else if (std::optional<std::string> text = called_text(callee.text, texts, first)) {
      add_value(values, text_value(std::move(*text)));
    } else {
      add_value(values, path_value(callee.text + "()"));
    }
  }
  return values;
}

Values JavaScriptNames::of_text_method(const Node& call, const Node& function, int depth) const {
  std::string_view name = function.field("property").text();
  Node object = unwrapped(function.field("object"));
  Values values;
  Values first = evaluate(javascript_argument(call, 0), depth + 1);
  if (name == "join" || name == "reverse") {
    std::string between = first.empty() ? "," : first.front().text;
    std::optional<std::string> text = array_joined(object, between, depth + 1);
    if (text && name == "join") add_value(values, text_value(std::move(*text)));
    return values;
  }
  Values second = evaluate(javascript_argument(call, 1), depth + 1);
  for (const Value& text : evaluate(object, depth + 1)) {
    if (!text.is_text()) continue;
    std::optional<std::string> changed =
        method_text(text.text, name, first.empty() ? nullptr : &first.front().text,
                    second.empty() ? nullptr : &second.front().text);
    if (changed) add_value(values, text_value(std::move(*changed)));
  }
  return values;
}

// ["e", "val"].join(""), "lave".split("").reverse().join("")
std::optional<std::string> JavaScriptNames::array_joined(const Node& array,
                                                         const std::string& between,
                                                         int depth) const {
  if (depth > kMaxDepth) return std::nullopt;
  if (array.is("call_expression")) {
    Node function = array.field("function");
    std::string_view name = function.field("property").text();
    Node object = unwrapped(function.field("object"));
    if (name == "reverse") {
      std::optional<std::string> text = array_joined(object, "", depth + 1);
      if (text) std::ranges::reverse(*text);
      return text;
    }
    Values text = evaluate(object, depth + 1);
    if (name == "split" && !text.empty() && text.front().is_text()) return text.front().text;
    return std::nullopt;
  }
  if (!array.is("array")) return std::nullopt;
  std::string whole;
  bool is_first = true;
  for (const Node& item : array.children()) {
    Values values = evaluate(item, depth + 1);
    if (values.empty() || !values.front().is_text()) return std::nullopt;
    whole += (is_first ? "" : between) + values.front().text;
    is_first = false;
    if (whole.size() > kMaxText) return std::nullopt;
  }
  return whole;
}

}  // namespace atl::policy
