#include "policy/shell_command.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "policy/inner.hpp"

namespace atl::policy {
namespace {

using Words = std::vector<Word>;

std::string_view base_name(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, text) != words.end();
}

bool is_option(const Word& word) {
  return word.text && word.text->size() > 1 && word.text->front() == '-';
}

bool is_assignment(const Word& word) {
  if (!word.text) return false;
  std::size_t equals = word.text->find('=');
  return equals != std::string::npos && equals > 0 && word.text->find('/') > equals;
}

// Commands that run the command behind them. Options with a value of their own are skipped with it.
struct Wrapper {
  std::string_view name;
  std::string_view valued;  // letters of options that take the next word
  std::size_t operands;     // words of its own before the command
};
constexpr std::array kWrappers{Wrapper{"sudo", "ugpCDhRrTt", 0},  Wrapper{"doas", "uC", 0},
                               Wrapper{"env", "uCS", 0},          Wrapper{"nohup", "", 0},
                               Wrapper{"time", "fo", 0},          Wrapper{"timeout", "ks", 1},
                               Wrapper{"nice", "n", 0},           Wrapper{"ionice", "cnp", 0},
                               Wrapper{"command", "", 0},         Wrapper{"builtin", "", 0},
                               Wrapper{"exec", "a", 0},           Wrapper{"setsid", "", 0},
                               Wrapper{"stdbuf", "ioe", 0},       Wrapper{"busybox", "", 0},
                               Wrapper{"xargs", "aEIiLlnPsd", 0}, Wrapper{"chroot", "", 1},
                               Wrapper{"unshare", "", 0},         Wrapper{"script", "c", 0},
                               Wrapper{"parallel", "j", 0},       Wrapper{"watch", "n", 0},
                               Wrapper{"strace", "eo", 0}};

const Wrapper* wrapper_of(std::string_view name) {
  auto found = std::ranges::find(kWrappers, name, &Wrapper::name);
  return found == kWrappers.end() ? nullptr : &*found;
}

// `command -v curl` says where it is and runs nothing.
bool only_asks(const Words& words) {
  return words.size() > 1 && is_option(words[1]) &&
         words[1].text->find_first_of("vV") != std::string::npos;
}

// The command behind `env -i A=1 nice -n 5 …`.
Words unwrapped(Words words, bool& through_xargs) {
  for (int rounds = 0; rounds < 10 && !words.empty() && words.front().text; ++rounds) {
    const Wrapper* wrapper = wrapper_of(base_name(*words.front().text));
    if (wrapper == nullptr) break;
    if (wrapper->name == "command" && only_asks(words)) return {};
    through_xargs |= wrapper->name == "xargs" || wrapper->name == "parallel";
    std::size_t at = 1;
    while (at < words.size() && (is_option(words[at]) || is_assignment(words[at]))) {
      const std::string& option = *words[at].text;
      bool takes = option.size() == 2 && option[0] == '-' &&
                   wrapper->valued.find(option[1]) != std::string_view::npos;
      at += takes ? 2 : 1;
    }
    at = std::min(at + wrapper->operands, words.size());
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  }
  while (!words.empty() && is_assignment(words.front())) words.erase(words.begin());
  return words;
}

std::vector<std::string> operands(const Words& words) {
  std::vector<std::string> found;
  bool options = true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].text) continue;
    if (options && *words[i].text == "--") {
      options = false;
    } else if (!options || !is_option(words[i])) {
      found.push_back(*words[i].text);
    }
  }
  return found;
}

bool has_flag(const Words& words, char letter, std::string_view name) {
  for (const Word& word : words) {
    if (!is_option(word)) continue;
    const std::string& text = *word.text;
    if (text == name) return true;
    if (text[1] != '-' && text.find(letter) != std::string::npos) return true;
  }
  return false;
}

// "/", "//", "/.", "/*", "/home/..": the root, or all that is in it.
bool is_root(std::string path) {
  if (path.empty() || path.front() != '/') return false;
  int depth = 0;
  for (std::size_t at = 0; at < path.size();) {
    std::size_t end = std::min(path.find('/', at), path.size());
    std::string part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      depth = std::max(0, depth - 1);
    } else if (part != "*" && part != ".*" && part != "{*,.*}") {
      ++depth;
    } else if (at < path.size()) {
      ++depth;
    }
  }
  return depth == 0;
}

bool is_dangerous(std::string_view name, const Words& words, bool in_root) {
  if (name == "mkfs" || name.starts_with("mkfs.") || name == "mke2fs") return true;
  if (name == "dd") {
    return std::ranges::any_of(words,
                               [](const Word& w) { return w.text && w.text->starts_with("if="); });
  }
  if (name != "rm") return false;
  bool recursive = has_flag(words, 'r', "--recursive") || has_flag(words, 'R', "--recursive");
  return recursive && std::ranges::any_of(operands(words), [in_root](const std::string& path) {
           bool all = path == "*" || path == "." || path == "./*" || path == "./";
           return is_root(path) || (in_root && all);
         });
}

// The text behind -c; nullptr: there is no such option.
const Word* code_option(const Words& words, char letter) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (!is_option(words[i])) continue;
    const std::string& option = *words[i].text;
    if (option[1] != '-' && option.back() == letter) return &words[i + 1];
    if (option == "--eval" || option == "--print" || option == "--command") return &words[i + 1];
  }
  return nullptr;
}

constexpr std::array<std::string_view, 10> kShells{"sh",  "bash", "dash",  "zsh",  "ash",
                                                   "ksh", "fish", "rbash", "mksh", "csh"};

struct Interpreter {
  std::string_view name;
  std::string_view language;  // empty: one that cannot be judged
  char code_option;
};

std::optional<Interpreter> interpreter_of(std::string_view name) {
  if (is_one_of(name, kShells)) return Interpreter{name, "bash", 'c'};
  if (name.starts_with("python") || name == "pypy3" || name.starts_with("ipython")) {
    return Interpreter{name, "python", 'c'};
  }
  if (name == "node" || name == "nodejs" || name == "deno" || name == "bun") {
    return Interpreter{name, "javascript", 'e'};
  }
  if (name == "perl" || name == "ruby" || name == "lua") return Interpreter{name, "", 'e'};
  if (name == "php") return Interpreter{name, "", 'r'};
  return std::nullopt;
}

void judge_interpreter(const Interpreter& interpreter, const Words& words,
                       const CommandPlace& place, const Node& node, Reporter& reporter) {
  auto inner = [&](const std::string& code) {
    if (interpreter.language.empty()) {
      reporter.report("other-interpreter", node);
      return;
    }
    reporter.report_inner(judge_at(reporter.rules(), code, interpreter.language, place.depth + 1),
                          node);
  };
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].from_command && !words[i].text) reporter.report("substituted-code", node);
  }
  if (const Word* code = code_option(words, interpreter.code_option)) {
    if (code->text) {
      inner(*code->text);
    } else {
      reporter.report("substituted-code", node);
    }
    return;
  }
  bool reads_stdin = operands(words).empty() || has_flag(words, 's', "-") ||
                     std::ranges::any_of(words, [](const Word& w) { return w.text == "-"; });
  bool file_unknown = std::ranges::any_of(words, [](const Word& w) { return !w.text; });
  if (!reads_stdin || file_unknown) return;
  if (place.reads_pipe || place.stdin_unknown) reporter.report("piped-code", node);
  if (place.stdin_text) inner(*place.stdin_text);
}

constexpr std::array<std::string_view, 16> kWriters{
    "tee",   "cp",       "mv", "install", "ln",     "mkdir", "touch", "chmod",
    "chown", "truncate", "rm", "rmdir",   "unlink", "shred", "chgrp", "mknod"};

}  // namespace

bool is_root_folder(const std::string& path) { return is_root(path); }

bool is_interpreter(std::string_view command) {
  return interpreter_of(base_name(command)).has_value();
}

bool is_outside(std::string_view path) {
  static constexpr std::array<std::string_view, 5> kOutputs{"/dev/null", "/dev/stdout",
                                                            "/dev/stderr", "/dev/tty", "/dev/zero"};
  if (is_one_of(path, kOutputs) || path.starts_with("/dev/fd/")) return false;
  bool climbs = path == ".." || path.starts_with("../") ||
                path.find("/../") != std::string_view::npos || path.ends_with("/..");
  if (climbs) return true;
  if (path.starts_with("~")) return true;
  if (!path.starts_with("/")) return false;
  auto below = [&](std::string_view folder) {
    return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
  };
  return !below("/workspace") && !below("/tmp");
}

void judge_command(std::vector<Word> words, const CommandPlace& place, const Node& node,
                   Reporter& reporter) {
  bool through_xargs = false;
  words = unwrapped(std::move(words), through_xargs);
  if (words.empty()) return;
  if (!words.front().text) {
    reporter.report(words.front().from_command ? "substituted-code" : "computed-command", node);
    return;
  }
  std::string_view name = base_name(*words.front().text);
  if (is_dangerous(name, words, place.in_root)) reporter.report(kDangerousCommand, node);
  if (const Rule* rule = reporter.rules().command(name)) {
    bool reads = rule->id == "read-file";
    bool script_first = name == "grep" || name == "egrep" || name == "sed" || name == "awk";
    std::size_t files = operands(words).size();
    if (!reads || files > (script_first ? 1u : 0u)) reporter.report(*rule, node);
  }
  if (name == "." || name == "source") {
    bool computed = std::ranges::any_of(words, [](const Word& w) { return w.from_command; });
    if (computed) reporter.report("substituted-code", node);
  }
  bool keeps_code = name == "trap" || name == "alias";
  if (name == "eval" || keeps_code) {
    std::string code;
    bool known = true;
    for (std::size_t i = 1; i < words.size(); ++i) {
      known &= words[i].text.has_value();
      code += (i > 1 ? " " : "") + words[i].text.value_or("");
    }
    if (name == "alias") code = code.substr(std::min(code.find('=') + 1, code.size()));
    if (name == "trap" && words.size() > 1) code = words[1].text.value_or("");
    if (known) {
      reporter.report_inner(judge_at(reporter.rules(), code, "bash", place.depth + 1), node);
    }
  }
  if (std::optional<Interpreter> interpreter = interpreter_of(name)) {
    CommandPlace inside = place;
    inside.reads_pipe |= through_xargs;
    judge_interpreter(*interpreter, words, inside, node, reporter);
  }
  if (name == "find") {
    bool removes = std::ranges::any_of(words, [](const Word& w) { return w.text == "-delete"; });
    if (removes && std::ranges::any_of(operands(words), is_outside)) {
      reporter.report("write-outside", node);
    }
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
      if (!words[i].text || !words[i].text->starts_with("-exec")) continue;
      Words inner(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      judge_command(std::move(inner), place, node, reporter);
      break;
    }
  }
  bool in_place = name == "sed" && has_flag(words, 'i', "--in-place");
  if (is_one_of(name, kWriters) || in_place) {
    std::vector<std::string> files = operands(words);
    bool copies = name == "cp" || name == "ln" || name == "install";
    if (copies && files.size() > 1) files = {files.back()};
    if (std::ranges::any_of(files, is_outside)) reporter.report("write-outside", node);
  }
}

Judgement judge_words(const Rules& rules, const std::vector<std::string>& words) {
  Reporter reporter(rules, "bash");
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  std::unique_ptr<Tree> tree = Tree::parse(Grammar::kBash, line.substr(0, 4096));
  std::vector<Word> parts;
  for (const std::string& word : words) parts.push_back({.text = word});
  if (tree) judge_command(std::move(parts), {}, tree->root(), reporter);
  return reporter.take();
}

}  // namespace atl::policy
