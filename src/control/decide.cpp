#include "control/decide.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "codec/json.hpp"
#include "drivers/languages.hpp"

namespace atl::control {
namespace {

using async::Task;
using model::RiskAction;
using policy::Judgement;
using policy::Level;
using policy::Rules;

constexpr std::size_t kShort = 8 * 1024;  // judged within a millisecond

// As one line with single blanks: what a person would read.
std::string flattened(const ExecuteRequest& request) {
  std::string line = request.code ? *request.code : request.shell_command;
  for (const std::string& word : request.argv) line += (line.empty() ? "" : " ") + word;
  std::string flat;
  for (char c : line) {
    bool blank = c == ' ' || c == '\t' || c == '\n';
    if (blank && (flat.empty() || flat.back() == ' ')) continue;
    flat += blank ? ' ' : c;
    if (flat.size() >= 200) break;
  }
  return flat;
}

// As it would run, for the person who is asked.
std::string shown(const ExecuteRequest& request) {
  constexpr std::size_t kMost = 4000;
  std::string text = request.code ? *request.code : request.shell_command;
  for (const std::string& word : request.argv) text += (text.empty() ? "" : " ") + word;
  if (text.size() <= kMost) return text;
  std::size_t left = text.size() - kMost;
  text.resize(kMost);
  return to_utf8(text) + "\n… and " + std::to_string(left) + " bytes more";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += line.empty() ? "'" : " '";
    for (char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += "'";
  }
  return line;
}

// What a shell or an interpreter reads is code: as if it stood in a here-document.
std::string with_input(std::string line, const ExecuteRequest& request) {
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ' || line.back() == ';')) {
    line.pop_back();
  }
  return line + " <<'ATOLL_END_OF_INPUT'\n" + *request.stdin_data + "\nATOLL_END_OF_INPUT\n";
}

// "line 3 starts programs (rule os-system)" of the first of the worst; empty: there is none.
std::string reason_of(const Judgement& judgement) {
  auto worst = std::ranges::find(judgement.findings, judgement.level, &policy::Finding::level);
  if (worst == judgement.findings.end()) return {};
  return "line " + std::to_string(worst->line) + " " + worst->message + " (rule " + worst->rule +
         ")";
}

}  // namespace

Judgement judge_request(const Rules& rules, const ExecuteRequest& request, bool all) {
  bool has_input = request.stdin_data && !request.stdin_data->empty();
  if (!request.argv.empty()) {
    Judgement judgement = policy::judge_words(rules, request.argv);
    if (!has_input) return judgement;
    Judgement fed =
        policy::judge_code(rules, with_input(shell_line(request.argv), request), "bash");
    return fed.level > judgement.level || fed.has_dangerous_command() ? fed : judgement;
  }
  if (!request.code) {
    if (!has_input) return policy::judge_code(rules, request.shell_command, "bash");
    return policy::judge_code(rules, with_input(request.shell_command, request), "bash");
  }
  // It may still have the name that a client gave it.
  auto language = drivers::find_language(request.language.empty() ? "python" : request.language);
  if (!language) return {};
  if (!all && (*language)->name != "bash") return {};
  return policy::judge_code(rules, *request.code, (*language)->name);
}

Result<RiskAction> verdict(const Caller& caller, const ExecuteRequest& request,
                           const Judgement& judgement, const RiskPolicies& policies) {
  if (!caller.may_write()) return fail(Code::kForbidden, "this key is read-only");
  if (judgement.has_dangerous_command()) {
    return fail(Code::kDangerousCommand, "Dangerous command blocked: " + flattened(request));
  }
  RiskAction action = policies.action(judgement.level).value_or(RiskAction::kAllow);
  if (action != RiskAction::kDeny) return action;
  std::string why = reason_of(judgement);
  return fail(Code::kForbidden, "the policy denies code of level " +
                                    codec::name_of(judgement.level) +
                                    (why.empty() ? "" : ": " + why));
}

Decider::RulesPtr Decider::rules() const {
  RulesPtr own = rules_.load();
  if (own) return own;
  return {RulesPtr(), &Rules::shipped()};
}

Task<Result<Judgement>> Decider::judge(std::string code, std::string language) {
  ATOLL_CO_TRY(const drivers::Language* known,
               drivers::find_language(language.empty() ? "python" : language));
  RulesPtr using_rules = rules();
  auto job = [&] { return policy::judge_code(*using_rules, code, known->name); };
  if (code.size() <= kShort) co_return job();
  co_return co_await async::on_pool(pool_, job);
}

Task<Judgement> Decider::judged(const ExecuteRequest* request, bool all) {
  RulesPtr using_rules = rules();
  std::size_t size = request->code ? request->code->size() : request->shell_command.size();
  if (request->stdin_data) size += request->stdin_data->size();
  auto job = [request, all, using_rules] { return judge_request(*using_rules, *request, all); };
  if (size <= kShort) co_return job();
  co_return co_await async::on_pool(pool_, job);
}

Task<Result<Decision>> Decider::decide(Caller caller, const ExecuteRequest* request,
                                       model::RiskPolicy origin) {
  Decision decision;
  RiskPolicies said = policies(caller, origin);
  if (caller.may_write()) decision.judgement = co_await judged(request, !said.empty());
  ATOLL_CO_TRY(decision.action, verdict(caller, *request, decision.judgement, said));
  co_return decision;
}

Task<std::optional<std::string>> Decider::question(Caller caller, const ExecuteRequest* request,
                                                   model::RiskPolicy origin) {
  RiskPolicies said = policies(caller, origin);
  // Where both are spoken of, nothing is left to ask.
  if (said.action(Level::kHigh) && said.action(Level::kCritical)) co_return std::nullopt;
  Judgement judgement = co_await judged(request, true);
  if (judgement.level < Level::kHigh || judgement.has_dangerous_command()) co_return std::nullopt;
  if (said.action(judgement.level)) co_return std::nullopt;
  std::string why = reason_of(judgement);
  co_return "This code is of risk " + codec::name_of(judgement.level) +
      (why.empty() ? "" : ": " + why) + ". Run it?\n\n" + shown(*request);
}

}  // namespace atl::control
