#include "policy/reporter.hpp"

#include <algorithm>
#include <tuple>

namespace atl::policy {
namespace {

// The first line, cut between characters.
std::string shortened(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.size() > kMaxSnippet) {
    std::size_t end = kMaxSnippet;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end);
  }
  return std::string(text);
}

Finding finding_of(const Rule& rule, const Node& node) {
  return {.rule = rule.id,
          .level = rule.level,
          .line = node.line(),
          .column = node.column(),
          .snippet = shortened(node.text()),
          .message = rule.message};
}

}  // namespace

void Reporter::add(Finding finding) {
  if (finding.level == Level::kSafe) return;  // turned off
  judgement_.level = std::max(judgement_.level, finding.level);
  if (judgement_.findings.size() >= kMaxFindings && finding.rule != kDangerousCommand) return;
  if (!seen_.emplace(finding.rule, finding.line).second) return;
  judgement_.findings.push_back(std::move(finding));
}

void Reporter::report(const Rule& rule, const Node& node) { add(finding_of(rule, node)); }

void Reporter::report(std::string_view id, const Node& node) {
  if (const Rule* rule = rules_.by_id(language_, id)) add(finding_of(*rule, node));
}

void Reporter::report_whole(std::string_view id, std::string_view snippet) {
  const Rule* rule = rules_.by_id(language_, id);
  if (rule == nullptr) return;
  add({.rule = rule->id,
       .level = rule->level,
       .snippet = shortened(snippet),
       .message = rule->message});
}

void Reporter::report_inner(const Judgement& inner, const Node& node) {
  for (Finding finding : inner.findings) {
    finding.line = node.line();
    finding.column = node.column();
    add(std::move(finding));
  }
}

Judgement Reporter::take() {
  std::ranges::sort(judgement_.findings, [](const Finding& a, const Finding& b) {
    return std::tie(a.line, a.column, a.rule) < std::tie(b.line, b.column, b.rule);
  });
  return std::move(judgement_);
}

bool Judgement::has_dangerous_command() const {
  return std::ranges::any_of(findings,
                             [](const Finding& f) { return f.rule == kDangerousCommand; });
}

}  // namespace atl::policy
