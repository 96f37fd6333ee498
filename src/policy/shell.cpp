// Judges Bash: every command by its words, after constants are put in; pipes, redirections,
// functions.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "policy/inner.hpp"
#include "policy/python_text.hpp"
#include "policy/shell_command.hpp"
#include "policy/value.hpp"

namespace atl::policy {
namespace {

class ShellJudge {
 public:
  ShellJudge(const Tree& tree, Reporter& reporter, int depth)
      : tree_(tree), reporter_(reporter), depth_(depth) {}

  void run() {
    learn();
    for (const Node& node : tree_.nodes()) {
      if (node.is("command")) {
        judge(node);
      } else if (node.is("file_redirect")) {
        judge_redirect(node);
      } else if (node.is("function_definition")) {
        judge_function(node);
      }
    }
  }

 private:
  // Variables that are given one text each, and those that come out of a command.
  void learn() {
    for (const Node& node : tree_.nodes()) {
      if (!node.is("variable_assignment")) continue;
      std::string name(node.field("name").text());
      Node value = node.field("value");
      Word word = value ? word_of(value, 0) : Word{.text = ""};
      if (word.text) {
        variables_.bind(name, {text_value(*word.text)});
      } else {
        (word.from_command ? from_commands_ : unknown_).insert(name);
      }
    }
  }

  std::optional<std::string> variable(std::string_view name) const {
    if (unknown_.contains(std::string(name)) || from_commands_.contains(std::string(name))) {
      return std::nullopt;
    }
    Values values = variables_.of(name);
    if (values.size() != 1) return std::nullopt;
    return values.front().text;
  }

  Word variable_word(const Node& node) const {
    std::string_view name = node.first("variable_name").text();
    return {.text = variable(name), .from_command = from_commands_.contains(std::string(name))};
  }

  Word word_of(const Node& node, int depth) const {
    if (depth > 20) return {};
    std::string_view kind = node.kind();
    if (kind == "word" || kind == "number" || kind == "test_operator" || kind == "regex") {
      return {.text = unescaped_word(node.text())};
    }
    if (kind == "raw_string")
      return {.text = std::string(node.text().substr(1, node.text().size() - 2))};
    if (kind == "ansii_c_string" || kind == "ansi_c_string") {
      return {.text = unescaped(node.text().substr(2, node.text().size() - 3), false)};
    }
    if (kind == "simple_expansion" || kind == "expansion") return variable_word(node);
    if (kind == "command_substitution" || kind == "process_substitution") {
      return {.text = std::nullopt, .from_command = true};
    }
    if (kind == "command_name") return word_of(node.child(0), depth + 1);
    if (kind == "string" || kind == "concatenation") return joined(node, depth);
    return {};
  }

  // The parts of "a$b" and of a"b"'c'. What stands between parts of a string has no node.
  Word joined(const Node& node, int depth) const {
    Word whole{.text = ""};
    bool string = node.is("string");
    std::uint32_t at = node.begin() + (string ? 1 : 0);
    std::uint32_t last = node.end() - (string ? 1 : 0);
    auto add_gap = [&](std::uint32_t to) {
      if (to <= at || !whole.text) return;
      std::string_view gap = node.text().substr(at - node.begin(), to - at);
      *whole.text += unescaped_string(gap);
    };
    for (const Node& part : node.children()) {
      add_gap(part.begin());
      at = std::max(at, part.end());
      Word piece = part.is("string_content") ? Word{.text = unescaped_string(part.text())}
                                             : word_of(part, depth + 1);
      whole.from_command |= piece.from_command;
      if (!piece.text) {
        whole.text.reset();
      } else if (whole.text) {
        *whole.text += *piece.text;
      }
    }
    add_gap(last);
    return whole;
  }

  static std::string unescaped_word(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) {
        if (text[++i] == '\n') continue;
      }
      plain += text[i];
    }
    return plain;
  }

  static std::string unescaped_string(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
      bool escape = text[i] == '\\' && i + 1 < text.size() &&
                    std::string_view("\"\\$`\n").find(text[i + 1]) != std::string_view::npos;
      if (escape && text[++i] == '\n') continue;
      plain += text[i];
    }
    return plain;
  }

  void judge(const Node& node) {
    std::vector<Word> words;
    CommandPlace place{.in_root = in_root_, .depth = depth_};
    for (const Node& child : node.children()) {
      if (child.is("variable_assignment")) continue;
      if (child.is("herestring_redirect")) {
        take_input(word_of(child.child(0), 0), place);
      } else if (!child.is("file_redirect") && !child.is("heredoc_redirect")) {
        add_words(child, words);
      }
    }
    look_around(node, place);
    if (words.size() > 1 && words[0].text == "cd" && words[1].text) {
      in_root_ = is_root_folder(*words[1].text);
    }
    judge_command(std::move(words), place, node, reporter_);
  }

  // $x of a constant with blanks is several words, as in the shell.
  void add_words(const Node& node, std::vector<Word>& words) const {
    Node inner = node.is("command_name") ? node.child(0) : node;
    Word word = word_of(inner, 0);
    bool splits = (inner.is("simple_expansion") || inner.is("expansion")) && word.text;
    if (!splits) {
      words.push_back(std::move(word));
      return;
    }
    std::string part;
    for (char c : *word.text + " ") {
      if (c != ' ' && c != '\t' && c != '\n') {
        part += c;
      } else if (!part.empty()) {
        words.push_back({.text = std::exchange(part, {})});
      }
    }
  }

  static void take_input(Word word, CommandPlace& place) {
    if (word.text) {
      place.stdin_text = std::move(word.text);
    } else {
      place.stdin_unknown = true;
    }
  }

  // Pipes and here-documents stand around a command, perhaps around a group of them.
  void look_around(const Node& command, CommandPlace& place) const {
    Node inner = command;
    for (Node outer = command.parent(); outer; inner = outer, outer = outer.parent()) {
      if (outer.is("pipeline")) {
        std::vector<Node> stages = outer.children();
        place.reads_pipe |= !stages.empty() && !(stages.front() == inner);
      } else if (outer.is("redirected_statement")) {
        for (const Node& redirect : outer.children()) look_at_input(redirect, place);
      } else if (outer.is("command_substitution") || outer.is("function_definition") ||
                 outer.is("process_substitution")) {
        return;
      }
    }
  }

  void look_at_input(const Node& redirect, CommandPlace& place) const {
    if (redirect.is("herestring_redirect")) take_input(word_of(redirect.child(0), 0), place);
    bool reads =
        redirect.is("file_redirect") && redirect.text().find('<') != std::string_view::npos;
    if (reads && redirect.field("destination").is("process_substitution"))
      place.stdin_unknown = true;
    if (!redirect.is("heredoc_redirect")) return;
    for (const Node& node : tree_.nodes()) {
      bool here = node.is("heredoc_body") && node.begin() >= redirect.begin();
      if (!here) continue;
      bool computed = node.first("command_substitution") || node.first("simple_expansion") ||
                      node.first("expansion");
      if (computed) place.stdin_unknown = true;
      place.stdin_text = std::string(node.text());
      return;
    }
  }

  void judge_redirect(const Node& node) {
    Word target = word_of(node.field("destination"), 0);
    if (!target.text) return;
    bool writes = node.text().find('>') != std::string_view::npos;
    if (target.text->starts_with("/dev/tcp/") || target.text->starts_with("/dev/udp/")) {
      reporter_.report("network-command", node);
      Node body = node.parent().field("body");
      Word command = body.is("command") ? word_of(body.field("name"), 0) : Word();
      if (command.text && is_interpreter(*command.text)) reporter_.report("piped-code", node);
    } else if (writes && is_outside(*target.text)) {
      bool descriptor = node.text().find(">&") != std::string_view::npos;
      if (!descriptor || target.text->find('/') != std::string::npos) {
        reporter_.report("write-outside", node);
      }
    } else if (!writes && *target.text != "/dev/null") {
      reporter_.report("read-file", node);
    }
  }

  // f() { f | f & }: one that starts itself twice, or in the background.
  void judge_function(const Node& node) {
    std::string_view name = node.field("name").text();
    int calls = 0;
    bool spreads = false;
    for (const Node& inner : tree_.nodes()) {
      if (inner.begin() < node.begin() || inner.end() > node.end() || !inner.is("command"))
        continue;
      if (inner.field("name").text() != name) continue;
      ++calls;
      spreads |= inner.parent().is("pipeline");
      for (const Node& sibling : inner.parent().all_children()) spreads |= sibling.text() == "&";
    }
    if (calls >= 2 && spreads) reporter_.report(kDangerousCommand, node);
  }

  const Tree& tree_;
  Reporter& reporter_;
  int depth_;
  bool in_root_ = false;
  Bindings variables_;
  std::set<std::string> unknown_;
  std::set<std::string> from_commands_;
};

}  // namespace

void judge_shell(const Tree& tree, Reporter& reporter, int depth) {
  ShellJudge(tree, reporter, depth).run();
}

}  // namespace atl::policy
