#include "control/decide.hpp"

#include <algorithm>
#include <utility>

#include "codec/json.hpp"
#include "drivers/languages.hpp"

namespace atl::control {
namespace {

using policy::Judgement;
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

const policy::Finding* first_of(const Judgement& judgement, policy::Level level) {
  auto found = std::ranges::find(judgement.findings, level, &policy::Finding::level);
  return found == judgement.findings.end() ? nullptr : &*found;
}

}  // namespace

Judgement judge_request(const ExecuteRequest& request, bool all) {
  if (!request.argv.empty()) return policy::judge_words(Rules::shipped(), request.argv);
  if (!request.code) return policy::judge_code(Rules::shipped(), request.shell_command, "bash");
  if (!all && request.language != "bash") return {};
  return policy::judge_code(Rules::shipped(), *request.code, request.language);
}

Result<void> verdict(const Caller& caller, const ExecuteRequest& request,
                     const Judgement& judgement, const CodePolicy& code_policy) {
  if (!caller.may_write()) return fail(Code::kForbidden, "this key is read-only");
  if (judgement.has_dangerous_command()) {
    return fail(Code::kDangerousCommand, "Dangerous command blocked: " + flattened(request));
  }
  if (std::ranges::find(code_policy.denied, judgement.level) == code_policy.denied.end()) return {};
  std::string why;
  if (const policy::Finding* worst = first_of(judgement, judgement.level)) {
    why = ": line " + std::to_string(worst->line) + " " + worst->message + " (rule " + worst->rule +
          ")";
  }
  return fail(Code::kForbidden, "the policy of this server denies code of level " +
                                    codec::name_of(judgement.level) + why);
}

async::Task<Result<Judgement>> Decider::judge(std::string code, std::string language) {
  ATOLL_CO_TRY(const drivers::Language* known,
               drivers::find_language(language.empty() ? "python" : language));
  auto job = [&] { return policy::judge_code(Rules::shipped(), code, known->name); };
  if (code.size() <= kShort) co_return job();
  co_return co_await async::on_pool(pool_, job);
}

async::Task<Result<void>> Decider::decide(Caller caller, const ExecuteRequest* request) {
  if (!caller.may_write()) co_return verdict(caller, *request, {}, policy_);
  bool all = !policy_.denied.empty();
  Judgement judgement;
  std::size_t size = request->code ? request->code->size() : request->shell_command.size();
  if (size <= kShort) {
    judgement = judge_request(*request, all);
  } else {
    auto job = [request, all] { return judge_request(*request, all); };
    judgement = co_await async::on_pool(pool_, job);
  }
  co_return verdict(caller, *request, judgement, policy_);
}

}  // namespace atl::control
