#include "policy/judge.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codec/json.hpp"

namespace atl::policy {
namespace {

const Rules& rules() { return Rules::shipped(); }

struct Snippet {
  std::string level;
  std::vector<std::string> rules;  // that must be found, among others
  std::string code;
};

// "== LEVEL RULE…", then the code.
std::vector<Snippet> read_corpus(const std::string& language) {
  std::ifstream file(ATOLL_SOURCE_DIR "/tests/policy/" + language + ".txt");
  std::vector<Snippet> snippets;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("== ")) {
      std::istringstream words(line.substr(3));
      Snippet& snippet = snippets.emplace_back();
      words >> snippet.level;
      for (std::string rule; words >> rule;) snippet.rules.push_back(rule);
    } else if (!snippets.empty()) {
      snippets.back().code += line + "\n";
    }
  }
  return snippets;
}

std::string level_name(Level level) { return codec::name_of(level); }

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsJudgedAsItSays) {
  std::vector<Snippet> snippets = read_corpus(GetParam());
  ASSERT_GE(snippets.size(), 70u);
  for (const Snippet& snippet : snippets) {
    Judgement judgement = judge_code(rules(), snippet.code, GetParam());
    EXPECT_EQ(level_name(judgement.level), snippet.level) << snippet.code;
    for (const std::string& rule : snippet.rules) {
      bool found =
          std::ranges::any_of(judgement.findings, [&](const Finding& f) { return f.rule == rule; });
      EXPECT_TRUE(found) << rule << " in: " << snippet.code;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Languages, Corpus, testing::Values("python", "javascript", "bash"),
                         [](const auto& test) { return test.param; });

TEST(Judge, SaysWhere) {
  Judgement judgement = judge_code(rules(), "x = 1\ny = [eval('1')]\n", "python");
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(judgement.findings[0].rule, "eval");
  EXPECT_EQ(judgement.findings[0].line, 2u);
  EXPECT_EQ(judgement.findings[0].column, 6u);
  EXPECT_EQ(judgement.findings[0].snippet, "eval");
}

TEST(Judge, IsBounded) {
  EXPECT_EQ(judge_code(rules(), std::string(kMaxCode + 1, ' '), "python").level, Level::kCritical);
  std::string nested = std::string(5000, '(') + "1" + std::string(5000, ')');
  EXPECT_EQ(judge_code(rules(), nested, "python").level, Level::kCritical);
  EXPECT_EQ(judge_code(rules(), nested, "javascript").level, Level::kCritical);
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "eval('1')\n";
  Judgement judgement = judge_code(rules(), many, "python");
  EXPECT_EQ(judgement.findings.size(), kMaxFindings);
  EXPECT_EQ(judgement.level, Level::kCritical);
}

TEST(Judge, TypeScriptIsJudgedAsJavaScript) {
  EXPECT_EQ(judge_code(rules(), "const f: any = eval; f('1' as string)", "typescript").level,
            Level::kCritical);
  EXPECT_EQ(judge_code(rules(), "const x: number = 1", "typescript").level, Level::kSafe);
}

TEST(Judge, OtherLanguagesHaveNoRules) {
  EXPECT_EQ(judge_code(rules(), "system(\"ls\");", "c").level, Level::kSafe);
}

TEST(Judge, WordsAreJudgedWithoutAShell) {
  EXPECT_TRUE(judge_words(rules(), {"rm", "-rf", "/"}).has_dangerous_command());
  EXPECT_FALSE(judge_words(rules(), {"echo", "rm -rf /"}).has_dangerous_command());
  EXPECT_TRUE(judge_words(rules(), {"bash", "-c", "rm -rf /"}).has_dangerous_command());
  EXPECT_EQ(judge_words(rules(), {"python3", "-c", "eval('1')"}).level, Level::kCritical);
  EXPECT_EQ(judge_words(rules(), {"ls", "-la"}).level, Level::kSafe);
}

}  // namespace
}  // namespace atl::policy
