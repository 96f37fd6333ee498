// Any bytes as code in each language, and as rules of an operator: judged, within bounds, and never
// a reason to crash. The first byte chooses.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "policy/judge.hpp"

namespace atl::fuzz {

using policy::Judgement;
using policy::Level;
using policy::Rules;

void check_judgement(const Judgement& judgement, std::string_view code) {
  Level worst = Level::kSafe;
  std::size_t lines = 1;
  for (char c : code) lines += c == '\n' ? 1 : 0;
  for (const policy::Finding& finding : judgement.findings) {
    if (finding.level > worst) worst = finding.level;
    if (finding.line < 1 || finding.column < 1 || finding.line > lines) std::abort();
    if (finding.snippet.size() > policy::kMaxSnippet || finding.level == Level::kSafe) std::abort();
  }
  // Findings beyond the most that are kept still count.
  if (worst > judgement.level) std::abort();
  if (judgement.findings.size() < policy::kMaxFindings && worst != judgement.level) std::abort();
}

void check(std::uint8_t choice, std::string_view text) {
  constexpr std::string_view kLanguages[] = {"python", "javascript", "typescript", "bash"};
  if (choice % 6 < 4) {
    check_judgement(policy::judge_code(Rules::shipped(), text, kLanguages[choice % 6]), text);
  } else if (choice % 6 == 4) {
    policy::judge_words(Rules::shipped(), {"bash", "-c", std::string(text)});
  } else if (auto rules = Rules::over_shipped(text)) {
    if (!policy::judge_code(*rules, "rm -rf /", "bash").has_dangerous_command()) std::abort();
  }
}

}  // namespace atl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) atl::fuzz::check(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
