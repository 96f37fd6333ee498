#include "policy/judge.hpp"

#include <optional>

#include "policy/inner.hpp"
#include "policy/shell_command.hpp"

namespace atl::policy {
namespace {

std::optional<Grammar> grammar_of(std::string_view language) {
  if (language == "python") return Grammar::kPython;
  if (language == "javascript") return Grammar::kJavaScript;
  if (language == "typescript") return Grammar::kTypeScript;
  if (language == "bash") return Grammar::kBash;
  return std::nullopt;
}

}  // namespace

Judgement judge_at(const Rules& rules, std::string_view code, std::string_view language,
                   int depth) {
  Reporter reporter(rules, language == "typescript" ? "javascript" : language);
  std::optional<Grammar> grammar = grammar_of(language);
  if (!grammar) return reporter.take();
  std::unique_ptr<Tree> tree;
  if (depth < kMaxInner && code.size() <= kMaxCode) tree = Tree::parse(*grammar, std::string(code));
  if (!tree) {
    reporter.report_whole("unjudged", code);
    return reporter.take();
  }
  switch (*grammar) {
    case Grammar::kPython: judge_python(*tree, reporter, depth); break;
    case Grammar::kJavaScript:
    case Grammar::kTypeScript: judge_javascript(*tree, reporter, depth); break;
    case Grammar::kBash: judge_shell(*tree, reporter, depth); break;
  }
  return reporter.take();
}

Judgement judge_code(const Rules& rules, std::string_view code, std::string_view language) {
  return judge_at(rules, code, language, 0);
}

}  // namespace atl::policy
