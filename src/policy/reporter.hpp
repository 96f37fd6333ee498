// Collects findings: one for each rule and line, bounded in number, the worst level kept.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "policy/finding.hpp"
#include "policy/rules.hpp"
#include "policy/syntax.hpp"

namespace atl::policy {

class Reporter {
 public:
  // Findings of code in `language`, by whose rules report(id) goes.
  Reporter(const Rules& rules, std::string_view language) : rules_(rules), language_(language) {}

  const Rules& rules() const { return rules_; }
  void report(const Rule& rule, const Node& node);
  // A rule that code looks for; nothing when the rules do not have it.
  void report(std::string_view id, const Node& node);
  void report_whole(std::string_view id, std::string_view snippet);
  // What was found in a text inside of this one, at the place where that text stands.
  void report_inner(const Judgement& inner, const Node& node);
  Judgement take();

 private:
  void add(Finding finding);

  const Rules& rules_;
  std::string language_;
  Judgement judgement_;
  std::set<std::pair<std::string, std::uint32_t>> seen_;
};

}  // namespace atl::policy
