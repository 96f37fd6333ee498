// Quotas of tenants. What a tenant uses is counted here, in memory, before anything is made, and
// nothing waits between the check and the count: a quota is never exceeded. On the I/O thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "model/template.hpp"
#include "model/tenant.hpp"
#include "store/store.hpp"

namespace atl::control {

// What live sessions and executions of a tenant take.
struct TenantUse {
  std::uint64_t sessions = 0;
  std::uint64_t executions = 0;
  double cpu = 0;
  std::uint64_t memory_mb = 0;
  std::uint64_t disk_mb = 0;
  std::uint64_t day_executions = 0;
};

// What one session takes.
struct SessionCost {
  double cpu = 0;
  std::uint64_t memory_mb = 0;
  std::uint64_t disk_mb = 0;
};

SessionCost cost_of(const model::Template& origin, const model::SessionConfig& config);

class Tenants {
 public:
  Tenants(async::Executor executor, store::Store& store, const Clock& clock)
      : store_(store), clock_(clock), tasks_(executor) {}
  Tenants(const Tenants&) = delete;
  ~Tenants();

  async::Task<Result<void>> load();
  struct View {
    model::Tenant row;
    TenantUse use;
  };
  // Of its own for everybody, of any for an owner; kNotFound otherwise. One that nobody has set
  // quotas for has none.
  async::Task<Result<View>> get(Caller caller, std::string id);
  // kForbidden for who is no owner, kInvalidValue. What lives already stays.
  async::Task<Result<View>> put(Caller caller, std::string id, model::TenantQuotas quotas);

  // kQuotaExceeded, with the name of the quota (base/quota.hpp). Nothing is counted then.
  Result<void> take_session(const std::string& tenant, const SessionCost& cost);
  // One that is there in any case: found again after a restart.
  void count_session(const std::string& tenant, const SessionCost& cost);
  void give_session(const std::string& tenant, const SessionCost& cost);
  Result<void> take_execution(const std::string& tenant);
  // One that waited for an approval when the last server ended.
  void count_execution(const std::string& tenant) { ++state_of(tenant).use.executions; }
  void give_execution(const std::string& tenant);
  Result<void> take_request(const std::string& tenant);
  Result<void> check_snapshots(const std::string& tenant, std::uint64_t kept) const;

  async::Task<void> shut_down();

 private:
  struct State {
    model::Tenant row;
    bool stored = false;  // has a row
    bool dirty = false;   // its day is not written yet
    TenantUse use;
    double tokens = 0;
    std::chrono::steady_clock::time_point filled{};
  };
  State& state_of(const std::string& tenant);
  void forget_idle(const std::string& tenant);
  std::int64_t today() const;
  void save_soon();
  async::Task<void> save_later();
  async::Task<void> save_days();

  store::Store& store_;
  const Clock& clock_;
  std::map<std::string, std::unique_ptr<State>, std::less<>> states_;
  bool saving_ = false;
  async::TaskGroup tasks_;
};

}  // namespace atl::control
