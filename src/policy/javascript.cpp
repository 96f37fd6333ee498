// Judges JavaScript and TypeScript: names, calls, imports and constructors against the rules.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "policy/inner.hpp"
#include "policy/javascript_names.hpp"

namespace atl::policy {
namespace {

class JavaScriptJudge {
 public:
  JavaScriptJudge(const Tree& tree, Reporter& reporter, int depth)
      : names_(tree), tree_(tree), reporter_(reporter), depth_(depth) {}

  void run() {
    for (const Node& node : tree_.nodes()) {
      std::string_view kind = node.kind();
      if (kind == "call_expression") {
        judge_call(node);
      } else if (kind == "new_expression") {
        judge_new(node);
      } else if (kind == "import_statement" || kind == "export_statement") {
        judge_import(node);
      } else if (kind == "member_expression" || kind == "identifier" ||
                 kind == "subscript_expression") {
        judge_use(node);
      }
    }
  }

 private:
  void report_path(const std::string& path, bool called, const Node& node) {
    if (const Rule* rule = reporter_.rules().match("javascript", path, called)) {
      reporter_.report(*rule, node);
    }
  }

  void judge_import(const Node& node) {
    Node source = node.field("source");
    if (!source) return;
    for (const Value& value : names_.evaluate(source)) {
      if (value.is_text()) report_path(module_path(value.text), false, node);
    }
  }

  static bool is_called(const Node& node) {
    Node parent = node.parent();
    return (parent.is("call_expression") && parent.field("function") == node) ||
           (parent.is("new_expression") && parent.field("constructor") == node);
  }

  static bool is_bound(const Node& node) {
    Node parent = node.parent();
    if (parent.is("variable_declarator")) return parent.field("name") == node;
    if (parent.is("assignment_expression")) return parent.field("left") == node;
    static constexpr std::array<std::string_view, 7> kNames{
        "formal_parameters", "function_declaration", "class_declaration", "import_specifier",
        "import_clause",     "namespace_import",     "required_parameter"};
    return std::ranges::find(kNames, parent.kind()) != kNames.end();
  }

  void judge_use(const Node& node) {
    Node parent = node.parent();
    bool part = parent.is("member_expression") ||
                (parent.is("subscript_expression") && parent.field("object") == node);
    if (part || is_bound(node)) return;
    // x instanceof Function asks and makes nothing.
    if (parent.is("binary_expression") && parent.field("operator").text() == "instanceof") return;
    for (const Value& value : names_.evaluate(node)) {
      if (value.is_path()) report_path(value.text, is_called(node), node);
    }
  }

  void judge_new(const Node& node) {
    judge_callee(node.field("constructor"), node);
    for (const Value& value : names_.evaluate(node.field("constructor"))) {
      if (value.text == "?.constructor" && has_text(node))
        reporter_.report("function-constructor", node);
    }
  }

  // What is not a plain name or member was not seen by judge_use().
  void judge_callee(const Node& callee, const Node& node) {
    if (callee.is("identifier") || callee.is("member_expression") ||
        callee.is("subscript_expression")) {
      return;
    }
    for (const Value& value : names_.evaluate(callee)) {
      if (value.is_path()) report_path(value.text, true, node);
    }
  }

  bool has_text(const Node& call) const {
    for (const Node& argument : call.field("arguments").children()) {
      for (const Value& value : names_.evaluate(argument)) {
        if (value.is_text()) return true;
      }
    }
    return false;
  }

  void judge_call(const Node& node) {
    judge_callee(node.field("function"), node);
    if (std::optional<Node> imported = names_.imported_by_call(node)) {
      bool known = false;
      for (const Value& value : names_.evaluate(*imported)) {
        if (!value.is_text()) continue;
        known = true;
        report_path(module_path(value.text), false, node);
      }
      if (!known && *imported) reporter_.report("computed-require", node);
    }
    for (const Value& callee : names_.evaluate(node.field("function"))) {
      if (callee.is_path()) judge_callee_path(callee.text, node);
    }
  }

  void judge_callee_path(const std::string& path, const Node& node) {
    Node first = javascript_argument(node, 0);
    if (path == "?.constructor" && has_text(node)) reporter_.report("function-constructor", node);
    bool timer = path == "setTimeout" || path == "setInterval" || path == "setImmediate";
    bool shell = path.starts_with("child_process.");
    Values texts = names_.evaluate(first);
    for (const Value& value : texts) {
      if (path == "Reflect.construct" || path == "Reflect.apply") {
        if (value.is_path()) report_path(value.text, true, node);
      }
      if (!value.is_text()) continue;
      if (timer) reporter_.report("js-eval", node);
      if (path == "eval" || timer) inner(value.text, "javascript", node);
      if (!shell) continue;
      Node list = javascript_argument(node, 1);
      if (!list.is("array")) {
        inner(value.text, "bash", node);
        continue;
      }
      std::vector<std::string> words{value.text};
      for (const Node& item : list.children()) {
        Values word = names_.evaluate(item);
        words.push_back(!word.empty() && word.front().is_text() ? word.front().text : "?");
      }
      reporter_.report_inner(judge_words(reporter_.rules(), words), node);
    }
  }

  void inner(const std::string& code, std::string_view language, const Node& node) {
    reporter_.report_inner(judge_at(reporter_.rules(), code, language, depth_ + 1), node);
  }

  JavaScriptNames names_;
  const Tree& tree_;
  Reporter& reporter_;
  int depth_;
};

}  // namespace

void judge_javascript(const Tree& tree, Reporter& reporter, int depth) {
  JavaScriptJudge(tree, reporter, depth).run();
}

}  // namespace atl::policy
