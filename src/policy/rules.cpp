#include "policy/rules.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/try.hpp"
#include "codec/json.hpp"

namespace atl::policy {
namespace {

struct RuleFile {
  std::vector<Rule> rules;
};
BOOST_DESCRIBE_STRUCT(RuleFile, (), (rules))

constexpr std::size_t kMaxFile = 1 << 20;

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return false;
  if (pattern.front() == '.') return name.ends_with(pattern);
  if (pattern.back() == '*') return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return name.starts_with(pattern) && (name.size() == pattern.size() ||
                                       name[pattern.size()] == '.' || name[pattern.size()] == '(');
}

bool fits_any(const Rule& rule, std::string_view name) {
  for (const std::string& pattern : rule.names) {
    if (fits(pattern, name)) return true;
  }
  return false;
}

std::string place_of(std::size_t index, std::string_view member) {
  return " (at /rules/" + std::to_string(index) + "/" + std::string(member) + ")";
}

Result<void> check(const std::vector<Rule>& rules) {
  std::set<std::string> ids;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Rule& rule = rules[i];
    if (rule.id.empty() || !ids.insert(rule.language + "/" + rule.id).second) {
      return fail(Code::kInvalidValue, "a rule needs an id of its own" + place_of(i, "id"));
    }
    if (rule.language != "python" && rule.language != "javascript" && rule.language != "bash") {
      return fail(Code::kInvalidValue,
                  "language is one of python, javascript, bash" + place_of(i, "language"));
    }
    if (rule.names.empty() != (rule.when == When::kBuiltin)) {
      return fail(
          Code::kInvalidValue,
          "names are for all rules but built-in ones, and those need them" + place_of(i, "names"));
    }
  }
  return {};
}

}  // namespace

Result<Rules> Rules::parse(std::string_view text) {
  codec::Decoded<RuleFile> file = codec::decode<RuleFile>(text, {}, {.max_bytes = kMaxFile});
  if (!file) return fail(std::move(file).error().to_error());
  ATOLL_CHECK(check(file->rules));
  Rules rules;
  rules.rules_ = std::move(file->rules);
  return rules;
}

const Rules& Rules::shipped() {
  static const Rules rules = parse(shipped_rules()).value();
  return rules;
}

namespace {

Result<void> check_change(const Rule& rule, const Rule* shipped, std::size_t index) {
  if (rule.id == kDangerousCommand || rule.id == kUnjudged) {
    return fail(Code::kInvalidValue,
                "the rule " + rule.id + " cannot be changed" + place_of(index, "id"));
  }
  if (rule.when == When::kBuiltin && (shipped == nullptr || shipped->when != When::kBuiltin)) {
    return fail(Code::kInvalidValue,
                "there is no built-in rule " + rule.id + place_of(index, "when"));
  }
  return {};
}

}  // namespace

Result<Rules> Rules::over_shipped(std::string_view text) {
  ATOLL_TRY(Rules own, parse(text));
  Rules all = shipped();
  for (std::size_t i = 0; i < own.rules_.size(); ++i) {
    Rule& rule = own.rules_[i];
    auto place = std::ranges::find_if(all.rules_, [&](const Rule& one) {
      return one.id == rule.id && one.language == rule.language;
    });
    bool known = place != all.rules_.end();
    ATOLL_CHECK(check_change(rule, known ? &*place : nullptr, i));
    if (known) {
      *place = std::move(rule);
    } else {
      all.rules_.push_back(std::move(rule));
    }
  }
  return all;
}

const Rule* Rules::match(std::string_view language, std::string_view name, bool called) const {
  const Rule* worst = nullptr;
  for (const Rule& rule : rules_) {
    bool asked = rule.when == When::kUse || (called && rule.when == When::kCall);
    if (!asked || rule.language != language || !fits_any(rule, name)) continue;
    if (worst == nullptr || rule.level > worst->level) worst = &rule;
  }
  return worst;
}

const Rule* Rules::command(std::string_view name) const {
  const Rule* worst = nullptr;
  for (const Rule& rule : rules_) {
    if (rule.when != When::kCommand || !fits_any(rule, name)) continue;
    if (worst == nullptr || rule.level > worst->level) worst = &rule;
  }
  return worst;
}

const Rule* Rules::by_id(std::string_view language, std::string_view id) const {
  const Rule* found = nullptr;
  for (const Rule& rule : rules_) {
    if (rule.id != id) continue;
    if (rule.language == language) return &rule;
    if (found == nullptr) found = &rule;
  }
  return found;
}

}  // namespace atl::policy
