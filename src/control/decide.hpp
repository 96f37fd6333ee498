// The one point that every execution passes: who may run something, what is never run (contract
// §6), and what the policies of server, template and key say of code as risky as this. On the I/O
// thread; long texts are judged on a pool.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/requests.hpp"
#include "control/risk.hpp"
#include "policy/judge.hpp"

namespace atl::control {

struct CodePolicy {
  model::RiskPolicy levels;
};

// What is to be done with a request, and why.
struct Decision {
  model::RiskAction action = model::RiskAction::kAllow;  // or kAsk; what is denied is an error
  policy::Judgement judgement;
};

// What is known of a request without asking anybody: findings for what would run. With `all`, code
// in every language; without, only what may hold a dangerous command.
policy::Judgement judge_request(const policy::Rules& rules, const ExecuteRequest& request,
                                bool all);
// kDangerousCommand for what is never run, kForbidden for who may not run anything and for code of
// a level that is denied. Otherwise kAllow or kAsk.
Result<model::RiskAction> verdict(const Caller& caller, const ExecuteRequest& request,
                                  const policy::Judgement& judgement, const RiskPolicies& policies);

class Decider {
 public:
  explicit Decider(CodePolicy code_policy) : policy_(std::move(code_policy)) {}

  // `request` outlives the call; `origin` is what the session's template says.
  async::Task<Result<Decision>> decide(Caller caller, const ExecuteRequest* request,
                                       model::RiskPolicy origin);
  // For an agent's tool, which asks for high and critical where no policy says anything of them:
  // what to ask a person; nothing: nobody is to be asked here.
  async::Task<std::optional<std::string>> question(Caller caller, const ExecuteRequest* request,
                                                   model::RiskPolicy origin);
  // Of code that nobody runs. An empty language is python; kUnsupportedLanguage.
  async::Task<Result<policy::Judgement>> judge(std::string code, std::string language);

  using RulesPtr = std::shared_ptr<const policy::Rules>;
  // For whatever is judged from now on. Any thread.
  void set_rules(RulesPtr rules) { rules_.store(std::move(rules)); }
  RulesPtr rules() const;

 private:
  RiskPolicies policies(const Caller& caller, const model::RiskPolicy& origin) const {
    return {.server = policy_.levels, .origin = origin, .key = caller.policy};
  }
  async::Task<policy::Judgement> judged(const ExecuteRequest* request, bool all);

  CodePolicy policy_;
  std::atomic<RulesPtr> rules_;  // null: the shipped ones
  async::Pool pool_{1};
};

}  // namespace atl::control
