// Judges Python: every name, call and import against the rules, after names and texts are resolved.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "policy/inner.hpp"
#include "policy/python_names.hpp"

namespace atl::policy {
namespace {

// A name of these that is known only when the code runs may be any of their functions.
bool starts_programs(std::string_view path) {
  static constexpr std::array<std::string_view, 5> kModules{"os", "posix", "builtins", "subprocess",
                                                            "__builtins__"};
  return std::ranges::find(kModules, path) != kModules.end();
}

class PythonJudge {
 public:
  PythonJudge(const Tree& tree, Reporter& reporter, int depth)
      : names_(tree), tree_(tree), reporter_(reporter), depth_(depth) {}

  void run() {
    for (const Node& node : tree_.nodes()) {
      std::string_view kind = node.kind();
      if (kind == "import_statement" || kind == "import_from_statement") {
        judge_import(node);
      } else if (kind == "call") {
        judge_call(node);
      } else if (kind == "attribute" || kind == "identifier" || kind == "subscript") {
        judge_use(node);
      } else if (kind == "exec_statement") {
        reporter_.report("exec", node);
      }
    }
  }

 private:
  void report_path(const std::string& path, bool called, const Node& node) {
    if (const Rule* rule = reporter_.rules().match("python", path, called)) {
      reporter_.report(*rule, node);
    }
  }

  void judge_import(const Node& node) {
    bool from = node.is("import_from_statement");
    std::string module(node.field("module_name").text());
    if (from) report_path(module, false, node);
    for (const Node& child : node.children()) {
      if (from && child == node.field("module_name")) continue;
      Node name = child.is("aliased_import") ? child.field("name") : child;
      if (!name.is("dotted_name")) continue;
      std::string path(name.text());
      // builtins.eval is a use of eval
      if (from) path = module == "builtins" ? path : module + "." + path;
      report_path(path, false, node);
    }
  }

  // The whole of a.b.c is judged, not also a.b.
  static bool is_part(const Node& node) {
    Node parent = node.parent();
    if (parent.is("attribute")) return parent.field("object") == node || !node.is("attribute");
    if (parent.is("keyword_argument")) return parent.field("name") == node;
    static constexpr std::array<std::string_view, 8> kNames{
        "dotted_name", "aliased_import",    "function_definition", "class_definition",
        "parameters",  "lambda_parameters", "global_statement",    "nonlocal_statement"};
    return std::ranges::find(kNames, parent.kind()) != kNames.end() &&
           !(parent.is("class_definition") || parent.is("function_definition")
                 ? parent.field("name") != node
                 : false);
  }

  static bool is_called(const Node& node) {
    return node.parent().is("call") && node.parent().field("function") == node;
  }

  void judge_use(const Node& node) {
    if (node.is("attribute")) {
      report_path("." + std::string(node.field("attribute").text()), is_called(node), node);
    }
    if (is_part(node)) return;
    if (node.is("identifier") && is_target(node)) return;
    for (const Value& value : names_.evaluate(node)) {
      if (value.is_path()) report_path(value.text, is_called(node), node);
    }
  }

  // On the left of an assignment a name is bound and not used.
  static bool is_target(const Node& node) {
    Node parent = node.parent();
    return (parent.is("assignment") || parent.is("augmented_assignment")) &&
           parent.field("left") == node;
  }

  static Node argument(const Node& call, std::size_t index, std::string_view keyword = {}) {
    std::size_t at = 0;
    for (const Node& child : call.field("arguments").children()) {
      if (child.is("keyword_argument")) {
        if (!keyword.empty() && child.field("name").text() == keyword) return child.field("value");
      } else if (!child.is("comment") && at++ == index) {
        return child;
      }
    }
    return {};
  }

  void judge_call(const Node& node) {
    judge_import_by_name(node);
    judge_opening(node);
    judge_inner(node);
    Node function = node.field("function");
    if (function.is("call") || function.is("subscript") ||
        function.is("parenthesized_expression") || function.is("conditional_expression")) {
      for (const Value& value : names_.evaluate(function)) {
        if (value.is_path()) report_path(value.text, true, node);
      }
    }
    for (const Value& value : names_.evaluate(function)) {
      bool gets = value.text == "operator.attrgetter" || value.text == "operator.methodcaller";
      if (!gets) continue;
      // Of whatever object; those of os are the ones to fear.
      for (const Value& name : names_.evaluate(argument(node, 0))) {
        if (name.is_text()) report_path("os." + name.text, true, node);
      }
    }
    bool get = function.text() == "getattr" || function.text() == "setattr";
    if (!get) return;
    Values names = names_.evaluate(argument(node, 1));
    for (const Value& name : names) {
      if (name.is_text()) report_path("." + name.text, true, node);
    }
    for (const Value& object : names_.evaluate(argument(node, 0))) {
      if (!object.is_path()) continue;
      bool computed = std::ranges::none_of(names, &Value::is_text);
      if (computed && starts_programs(object.text)) reporter_.report("computed-name", node);
      for (const Value& name : names) {
        if (name.is_text()) report_path(object.text + "." + name.text, true, node);
      }
    }
  }

  void judge_import_by_name(const Node& node) {
    std::optional<Node> name = names_.imported_by_call(node);
    if (!name) return;
    Values values = names_.evaluate(*name);
    bool known = false;
    for (const Value& value : values) {
      if (!value.is_text()) continue;
      known = true;
      if (value.text == "os" || value.text == "posix" || value.text == "builtins") {
        reporter_.report("dynamic-os", node);
      }
      report_path(value.text, false, node);
    }
    if (!known) reporter_.report("computed-import", node);
  }

  // open(), Path.open() and their like: what the mode says.
  void judge_opening(const Node& node) {
    bool opens = false;
    std::size_t mode_at = 1;
    for (const Value& value : names_.evaluate(node.field("function"))) {
      const std::string& path = value.text;
      if (!value.is_path()) continue;
      if (path == "open" || path == "io.open" || path == "codecs.open" || path == "gzip.open" ||
          path == "bz2.open" || path == "lzma.open") {
        opens = true;
      } else if (path.starts_with("pathlib.") && path.ends_with(".open")) {
        opens = true;
        mode_at = 0;
      } else if (path == "os.open") {
        bool writes = argument(node, 1).text().find_first_of("WC") != std::string_view::npos;
        reporter_.report(writes ? "write-file" : "read-file", node);
      }
    }
    if (!opens) return;
    Node mode = argument(node, mode_at, "mode");
    Values values = names_.evaluate(mode);
    bool writes = static_cast<bool>(mode) && values.empty();  // a mode that nobody can read
    for (const Value& value : values) {
      writes |= !value.is_text() || value.text.find_first_of("wax+") != std::string::npos;
    }
    reporter_.report(writes ? "write-file" : "read-file", node);
  }

  // Code and commands in texts are judged like code: exec("…"), os.system("…").
  void judge_inner(const Node& node) {
    Node first = argument(node, 0);
    Values texts = names_.evaluate(first);
    for (const Value& callee : names_.evaluate(node.field("function"))) {
      if (!callee.is_path()) continue;
      const std::string& path = callee.text;
      bool code = path == "eval" || path == "exec" || path == "compile";
      bool shell = path == "os.system" || path == "os.popen" || path.starts_with("subprocess.");
      if (!code && !shell) continue;
      for (const Value& text : texts) {
        if (!text.is_text()) continue;
        reporter_.report_inner(
            judge_at(reporter_.rules(), text.text, code ? "python" : "bash", depth_ + 1), node);
      }
      if (shell && first.is("list")) {
        std::vector<std::string> words;
        for (const Node& item : first.children()) {
          Values word = names_.evaluate(item);
          words.push_back(!word.empty() && word.front().is_text() ? word.front().text : "?");
        }
        reporter_.report_inner(judge_words(reporter_.rules(), words), node);
      }
    }
  }

  PythonNames names_;
  const Tree& tree_;
  Reporter& reporter_;
  int depth_;
};

}  // namespace

void judge_python(const Tree& tree, Reporter& reporter, int depth) {
  PythonJudge(tree, reporter, depth).run();
}

}  // namespace atl::policy
