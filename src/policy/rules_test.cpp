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
