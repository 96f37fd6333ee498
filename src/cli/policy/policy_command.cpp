#include "cli/policy/policy_command.hpp"

#include <unistd.h>

#include <algorithm>

#include "cli/core/document.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/core/files.hpp"
#include "cli/core/table.hpp"
#include "cli/policy/policy_options.hpp"
#include "cli/policy/policy_text.hpp"
#include "codec/json.hpp"
#include "drivers/languages.hpp"
#include "policy/judge.hpp"

namespace atl::cli {
namespace {

using policy::Judgement;
using policy::Rules;

constexpr int kExitTooRisky = 1;

Result<std::string> language_of(const PolicyOptions& options, const std::string& file) {
  if (!options.language.empty()) {
    ATOLL_TRY(const drivers::Language* named, drivers::find_language(options.language));
    return std::string(named->name);
  }
  const drivers::Language* by_suffix = drivers::language_of_file(file);
  return std::string(by_suffix == nullptr ? "python" : by_suffix->name);
}

constexpr std::uint64_t kMaxRules = 1u << 20;

Result<Rules> rules_of(const PolicyOptions& options) {
  if (options.rules.empty()) return Rules::shipped();
  ATOLL_TRY(std::string text, read_file(options.rules, kMaxRules, "the rules " + options.rules));
  Result<Rules> rules = Rules::over_shipped(text);
  if (!rules) {
    return fail(rules.error().code(), options.rules + ": " + rules.error().message());
  }
  return rules;
}

bool reaches(policy::Level level, const std::string& fail_on) {
  if (fail_on.empty()) return false;
  for (policy::Level one : {policy::Level::kLow, policy::Level::kMedium, policy::Level::kHigh,
                            policy::Level::kCritical}) {
    if (codec::name_of(one) == fail_on) return level >= one;
  }
  return false;
}

Result<int> check(const PolicyOptions& options) {
  if (options.words.size() != 2) {
    return fail(Code::kInvalidArgument, "policy check: give one file, or - for stdin");
  }
  const std::string& file = options.words[1];
  ATOLL_TRY(std::string language, language_of(options, file));
  ATOLL_TRY(std::string code, file == "-" ? read_stdin(kMaxCode, "the code on stdin")
                                          : read_file(file, kMaxCode, "the code " + file));
  ATOLL_TRY(Rules rules, rules_of(options));
  Judgement judgement = policy::judge_code(rules, code, language);
  bool terminal = ::isatty(STDOUT_FILENO) == 1;
  switch (options.output) {
    case PolicyFormat::kText:
      show(text_of(judgement, use_color(options.color, STDOUT_FILENO)));
      break;
    case PolicyFormat::kJson: show(json_text(codec::to_json(judgement), terminal)); break;
    case PolicyFormat::kSarif: show(json_text(sarif_of(judgement, file), terminal)); break;
  }
  return reaches(judgement.level, options.fail_on) ? kExitTooRisky : 0;
}

Result<int> rules(const PolicyOptions& options) {
  if (options.words.size() != 1) {
    return fail(Code::kInvalidArgument, "policy rules: takes options only");
  }
  ATOLL_TRY(Rules known, rules_of(options));
  if (options.output == PolicyFormat::kJson) {
    return show(json_text(codec::to_json(known.all()), ::isatty(STDOUT_FILENO) == 1));
  }
  Table table({"LANGUAGE", "LEVEL", "RULE", "WHAT IT DOES", "EXAMPLE"});
  for (const policy::Rule& rule : known.all()) {
    table.add(
        {{rule.language}, {codec::name_of(rule.level)}, {rule.id}, {rule.message}, {rule.example}});
  }
  return show(table.text(use_color(options.color, STDOUT_FILENO)));
}

}  // namespace

int policy_command(Arguments arguments) {
  PolicyOptions options;
  if (Result<void> parsed = parse_policy_options(arguments, options); !parsed) {
    return own_failure(parsed.error());
  }
  if (options.help) return show_help(*find_command("policy"));
  std::string_view word = options.words.empty() ? std::string_view() : options.words.front();
  Result<int> status = fail(Code::kInvalidArgument,
                            "policy: write `policy check FILE` or "
                            "`policy rules`");
  if (word == "check") status = check(options);
  if (word == "rules") status = rules(options);
  return status ? *status : own_failure(status.error());
}

}  // namespace atl::cli
