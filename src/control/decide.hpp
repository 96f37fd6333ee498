// The one point that every execution passes: who may run something, what is never run (contract
// §6), and what the server's policy says of code as risky as this. On the I/O thread; long texts
// are judged on a pool.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/requests.hpp"
#include "policy/judge.hpp"

namespace atl::control {

struct CodePolicy {
  std::vector<policy::Level> denied;  // levels that are not run
};

// What is known of a request without asking anybody: findings for what would run. With `all`, code
// in every language; without, only what may hold a dangerous command.
policy::Judgement judge_request(const ExecuteRequest& request, bool all);
// kDangerousCommand for what is never run, kForbidden for who may not run anything and for code of
// a level that is denied.
Result<void> verdict(const Caller& caller, const ExecuteRequest& request,
                     const policy::Judgement& judgement, const CodePolicy& code_policy);

class Decider {
 public:
  explicit Decider(CodePolicy code_policy) : policy_(std::move(code_policy)) {}

  // `request` outlives the call.
  async::Task<Result<void>> decide(Caller caller, const ExecuteRequest* request);
  // Of code that nobody runs. An empty language is python; kUnsupportedLanguage.
  async::Task<Result<policy::Judgement>> judge(std::string code, std::string language);

 private:
  CodePolicy policy_;
  async::Pool pool_{1};
};

}  // namespace atl::control
