// Executions that a person must approve before they run: opened where the policy says `ask`,
// listed, decided, and rejected when nobody decides in time. A waiting one is stored with all that
// it would run, so it outlives the server. On the I/O thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "control/audit.hpp"
#include "control/caller.hpp"
#include "control/live_session.hpp"
#include "control/session_shared.hpp"
#include "model/approval.hpp"
#include "policy/finding.hpp"
#include "store/store.hpp"

namespace atl::control {

struct ApprovalLimits {
  std::chrono::seconds time{300};         // then it is rejected
  std::size_t waiting = 1000;             // of a tenant; beyond: kResourceExhausted
  std::size_t request_bytes = 1u << 20;   // no person reads more: kForbidden
  std::chrono::hours longest_memory{24};  // of an approved content
};

struct ApprovalWish {
  bool approve = false;
  std::string reason;
  // The same content in the same session runs without being asked for, for so long.
  std::optional<std::chrono::seconds> remember;
};

class Approvals {
 public:
  static constexpr std::size_t kMaxReason = 1000;

  Approvals(const SessionShared& shared, Audit& audit, ApprovalLimits limits)
      : shared_(shared), audit_(audit), limits_(limits) {}

  // What clients see: those of the caller's tenant. kNotFound, also for another tenant's.
  async::Task<Result<std::vector<model::ApprovalInfo>>> list(Caller caller,
                                                             model::ApprovalFilter filter,
                                                             store::Page page);
  async::Task<Result<model::Approval>> get(Caller caller, ExecutionId id);
  // kForbidden for a role that may not decide and for the key that asked; kConflict when it is
  // decided or over already. It is written when this returns.
  async::Task<Result<model::Approval>> decide(Caller caller, ExecutionId id, ApprovalWish wish);

  struct Figures {
    std::size_t waiting = 0;
    std::map<model::ApprovalState, std::uint64_t> decided;
  };
  Figures figures() const { return {waiting_.size(), decided_}; }
  const ApprovalLimits& limits() const { return limits_; }

  // The rest is for Executions and the start of the server.

  bool is_remembered(const SessionId& session, const std::string& content) const;
  // Makes `execution` wait. Nothing is written yet: keep() of Executions writes both.
  Result<void> open(const LiveExecutionPtr& execution, const ExecuteRequest& request,
                    const policy::Judgement& judgement);
  // One of the last server, which waits on.
  void adopt(const LiveExecutionPtr& execution);
  // One whose row could not be written.
  void forget(const LiveExecution& execution) { waiting_.erase(execution.row.id.str()); }
  // Until somebody has approved it; an error otherwise. At once where nobody was asked.
  async::Task<Result<void>> until_decided(LiveExecutionPtr execution);
  // The last word on it, with the end of its execution; nothing: the store has it.
  std::optional<store::Change> at_end(LiveExecution& execution);
  // What was approved for a while by the last server.
  async::Task<Result<void>> load();
  // For ever: rejects what nobody decided in time.
  async::Task<void> watch();

 private:
  struct Waiting {
    LiveExecutionPtr execution;
    std::chrono::steady_clock::time_point until;
  };
  using Content = std::pair<std::string, std::string>;  // session, hash

  model::Time now() const;
  void publish(const LiveExecution& execution, std::string event);
  void remember(const model::Approval& row);
  Result<void> check(const Caller& caller, const ApprovalWish& wish) const;
  async::Task<Result<void>> approve(Caller caller, LiveExecutionPtr execution,
                                    model::Approval decided);
  async::Task<Result<void>> reject(Caller caller, LiveExecutionPtr execution,
                                   model::Approval decided);

  const SessionShared& shared_;
  Audit& audit_;
  ApprovalLimits limits_;
  std::map<std::string, Waiting> waiting_;  // by execution
  std::map<Content, std::chrono::steady_clock::time_point> remembered_;
  std::map<model::ApprovalState, std::uint64_t> decided_;
};

}  // namespace atl::control
