// Who did what. A row is written in the same transaction as the change that it tells of; what
// changes nothing in the store is written soon after, and nobody waits for it
// (docs/adr/0021-audit.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/requests.hpp"
#include "store/store.hpp"

namespace atl::control {

struct Deed {
  model::AuditAction action{};
  SessionId session_id;
  ExecutionId execution_id;
  std::string detail;  // shortened to kMaxAuditDetail
  std::string outcome = "ok";
};
inline constexpr std::size_t kMaxAuditDetail = 200;

store::AuditRow audit_row(const Caller& caller, Deed deed);

// What is said of an execution: the language of its code, or the program that its command begins
// with. Neither arguments nor the values of variables.
std::string audit_detail(const ExecuteRequest& request);
std::string program_of(std::string_view command);

class Audit {
 public:
  Audit(async::Executor executor, store::Store& store) : store_(store), tasks_(executor) {}

  // For what has no transaction of its own.
  void soon(store::AuditRow row);
  async::Task<Result<std::vector<store::AuditRow>>> list(Caller caller, store::AuditFilter filter,
                                                         store::Page page);
  // What waits is written before this returns.
  async::Task<void> shut_down();

 private:
  async::Task<void> write_waiting();
  async::Task<Result<void>> write_portion();

  store::Store& store_;
  std::vector<store::AuditRow> waiting_;
  bool writing_ = false;
  std::uint64_t lost_ = 0;  // because the store was away for too long
  async::TaskGroup tasks_;
};

}  // namespace atl::control
