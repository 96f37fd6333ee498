#include "policy/rules.hpp"

#include <gtest/gtest.h>

#include "policy/judge.hpp"

namespace atl::policy {
namespace {

// The example of a rule is judged by that rule, or by a stricter one on the same line.
TEST(Rules, EveryExampleIsFound) {
  for (const Rule& rule : Rules::shipped().all()) {
    if (rule.id == "unjudged") continue;
    Judgement judgement = judge_code(Rules::shipped(), rule.example, rule.language);
    bool found = false;
    for (const Finding& finding : judgement.findings) found |= finding.rule == rule.id;
    EXPECT_TRUE(found) << rule.language << "/" << rule.id << ": " << rule.example;
    EXPECT_FALSE(rule.message.empty()) << rule.id;
  }
}

TEST(Rules, BadFilesSayWhere) {
  EXPECT_EQ(Rules::parse("{").error().code(), Code::kInvalidArgument);
  Result<Rules> unnamed = Rules::parse(
      R"({"rules": [{"id": "a", "language": "python", "level": "high", "when": "use",
          "names": [], "message": "m", "example": "e"}]})");
  ASSERT_FALSE(unnamed);
  EXPECT_EQ(unnamed.error().code(), Code::kInvalidValue);
  EXPECT_NE(unnamed.error().message().find("/rules/0/names"), std::string::npos);
}

constexpr const char* kOwn = R"({"rules": [
  {"id": "eval", "language": "python", "level": "low", "when": "use", "names": ["eval"],
   "message": "ours", "example": "eval"},
  {"id": "network-command", "language": "bash", "level": "safe", "when": "command",
   "names": ["curl"], "message": "", "example": ""},
  {"id": "our-module", "language": "python", "level": "high", "when": "use", "names": ["payroll"],
   "message": "pays people", "example": "import payroll"}]})";

TEST(Rules, AnOperatorsRulesTakeThePlaceOfShippedOnes) {
  Result<Rules> rules = Rules::over_shipped(kOwn);
  ASSERT_TRUE(rules.has_value()) << rules.error().to_string();
  EXPECT_EQ(rules->all().size(), Rules::shipped().all().size() + 1);
  EXPECT_EQ(judge_code(*rules, "eval('1')", "python").level, Level::kLow);
  EXPECT_EQ(judge_code(*rules, "import payroll", "python").level, Level::kHigh);
  EXPECT_EQ(judge_code(*rules, "curl x", "bash").level, Level::kSafe);
  EXPECT_TRUE(judge_code(*rules, "curl x", "bash").findings.empty());
  EXPECT_EQ(judge_code(*rules, "import subprocess", "python").level, Level::kCritical);
  EXPECT_TRUE(judge_code(*rules, "rm -rf /", "bash").has_dangerous_command());
}

TEST(Rules, WhatIsNeverRunCannotBeChanged) {
  for (const char* id : {"dangerous-command", "unjudged"}) {
    std::string text = std::string(R"({"rules": [{"id": ")") + id +
                       R"(", "language": "bash", "level": "safe", "when": "builtin", "names": [],
                          "message": "", "example": ""}]})";
    Result<Rules> changed = Rules::over_shipped(text);
    ASSERT_FALSE(changed) << id;
    EXPECT_NE(changed.error().message().find("/rules/0/id"), std::string::npos);
  }
  Result<Rules> unknown = Rules::over_shipped(
      R"({"rules": [{"id": "new", "language": "bash", "level": "low", "when": "builtin",
          "names": [], "message": "", "example": ""}]})");
  EXPECT_EQ(unknown.error().code(), Code::kInvalidValue);
}

TEST(Rules, TheStrictestRuleOfANameCounts) {
  Result<Rules> rules = Rules::parse(
      R"({"rules": [
        {"id": "a", "language": "python", "level": "medium", "when": "use", "names": ["m"], "message": "", "example": ""},
        {"id": "b", "language": "python", "level": "critical", "when": "call", "names": ["m.f"], "message": "", "example": ""}]})");
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->match("python", "m.f", true)->id, "b");
  EXPECT_EQ(rules->match("python", "m.f", false)->id, "a");
  EXPECT_EQ(rules->match("python", "mf", true), nullptr);
  EXPECT_EQ(rules->match("javascript", "m.f", true), nullptr);
}

}  // namespace
}  // namespace atl::policy
