// Who did what. A row is written in the same transaction as the change that it tells of; what
// changes nothing in the store is written soon after, and nobody waits for it
// (docs/adr/0021-audit.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "async/pool.hpp"
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
  std::string result = {};  // JSON
};
inline constexpr std::size_t kMaxAuditDetail = 200;

store::AuditRow audit_row(const Caller& caller, Deed deed);

// What is said of an execution: the language of its code, or the program that its command begins
// with. Neither arguments nor the values of variables.
std::string audit_detail(const ExecuteRequest& request);
std::string program_of(std::string_view command);

// What a look at all rows has found.
struct AuditVerdict {
  std::uint64_t rows = 0;
  std::vector<model::AuditHead> heads;
  std::string broken_chain;  // empty: nothing is wrong
  std::int64_t broken_seq = 0;
  std::string broken_id;
  std::string reason;
};

// Where the ends of the chains are written to at intervals, so that a cut tail is noticed.
struct AuditCheckpoints {
  std::string file;     // a line of JSON each; empty: none
  std::string command;  // gets the line on stdin; empty: none
  std::chrono::seconds interval{60};
};

struct AuditOptions {
  bool strict = false;  // what cannot be recorded is not begun
  AuditCheckpoints checkpoints;
};

class Audit {
 public:
  Audit(async::Executor executor, store::Store& store, AuditOptions options)
      : store_(store), options_(std::move(options)), tasks_(executor) {}

  bool is_strict() const { return options_.strict; }
  // Before work begins: written when this returns, where the mode is strict, and soon otherwise.
  async::Task<Result<void>> record(store::AuditRow row);
  // All chains, with the checkpoint file. For owners.
  async::Task<Result<AuditVerdict>> verify(Caller caller);
  async::Task<Result<std::vector<store::AuditRow>>> chain(Caller caller, std::string chain,
                                                          std::int64_t after, std::size_t limit);
  async::Task<Result<std::vector<model::AuditHead>>> heads(Caller caller);
  // For ever, where there is somewhere to write to.
  async::Task<void> write_checkpoints();
  async::Task<Result<void>> write_checkpoint();

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
  AuditOptions options_;
  async::Pool pool_{1};
  std::vector<store::AuditRow> waiting_;
  bool writing_ = false;
  std::uint64_t lost_ = 0;  // because the store was away for too long
  async::TaskGroup tasks_;
};

}  // namespace atl::control
