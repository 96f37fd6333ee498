#include "control/tenants.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "async/deadline.hpp"
#include "base/quota.hpp"
#include "control/audit.hpp"
#include "control/keys.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;

namespace {

constexpr std::chrono::seconds kSaveEvery{1};
constexpr std::chrono::seconds kDay{24 * 3600};
constexpr double kMostCores = 1e6;

std::string number_text(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

template <typename T>
Result<void> check_one(std::string_view name, const std::optional<T>& most, T used, T more) {
  if (!most || used + more <= *most) return {};
  return fail(quota_error(std::string(name), "the tenant's quota " + std::string(name) +
                                                 " is used up (" +
                                                 number_text(static_cast<double>(*most)) + ")"));
}

Result<void> check_quotas(const model::TenantQuotas& quotas) {
  auto bad = [](const std::optional<double>& number) {
    return number && (!std::isfinite(*number) || *number < 0 || *number > kMostCores);
  };
  if (bad(quotas.cpu)) return fail(Code::kInvalidValue, "cpu must be a number of cores");
  if (bad(quotas.requests_per_second)) {
    return fail(Code::kInvalidValue, "requests_per_second must be a number from 0 on");
  }
  return {};
}

}  // namespace

SessionCost cost_of(const model::Template& origin, const model::SessionConfig& config) {
  const model::TemplateResources& most = origin.spec.resources;
  const model::Resources& asked = config.resources;
  return {.cpu = asked.cpu.value_or(most.cpu),
          .memory_mb = asked.memory.value_or(most.memory),
          .disk_mb = asked.disk.value_or(most.disk)};
}

Tenants::~Tenants() = default;

std::int64_t Tenants::today() const {
  return std::chrono::duration_cast<std::chrono::seconds>(clock_.wall().time_since_epoch()) / kDay;
}

Tenants::State& Tenants::state_of(const std::string& tenant) {
  std::unique_ptr<State>& state = states_[tenant];
  if (!state) {
    state = std::make_unique<State>();
    state->row.id = tenant;
  }
  return *state;
}

// Only what says something is kept: tenants without quotas cost nothing while they do nothing.
void Tenants::forget_idle(const std::string& tenant) {
  auto found = states_.find(tenant);
  if (found == states_.end()) return;
  const State& state = *found->second;
  if (!state.stored && state.use.sessions == 0 && state.use.executions == 0) states_.erase(found);
}

Task<Result<void>> Tenants::load() {
  ATOLL_CO_TRY(std::vector<model::Tenant> rows, co_await store_.tenants());
  for (model::Tenant& row : rows) {
    State& state = state_of(row.id);
    state.stored = true;
    state.row = std::move(row);
  }
  co_return Result<void>();
}

Task<Result<Tenants::View>> Tenants::get(Caller caller, std::string id) {
  if (!is_tenant_name(id) || (!caller.is_owner() && caller.tenant != id)) {
    co_return fail(Code::kNotFound, "there is no such tenant");
  }
  View view{.row = {.id = id}, .use = {}};
  auto found = states_.find(id);
  if (found == states_.end()) co_return view;
  view = {.row = found->second->row, .use = found->second->use};
  if (view.row.day == today()) view.use.day_executions = view.row.day_executions;
  co_return view;
}

Task<Result<Tenants::View>> Tenants::put(Caller caller, std::string id,
                                         model::TenantQuotas quotas) {
  if (!caller.is_owner()) {
    co_return fail(Code::kForbidden, "only a key with the role owner may set quotas");
  }
  if (!is_tenant_name(id))
    co_return fail(Code::kInvalidValue,
                   "a tenant name has 1 to 100 bytes without control characters");
  ATOLL_CO_CHECK(check_quotas(quotas));
  model::Tenant row = state_of(id).row;
  row.quotas = quotas;
  row.updated_at = std::chrono::time_point_cast<std::chrono::milliseconds>(clock_.wall());
  std::vector<store::Change> changes{store::PutTenant{row}};
  Caller recorded = caller;
  recorded.tenant = id;
  changes.push_back(store::AddAudit{
      audit_row(recorded, {.action = model::AuditAction::kTenantChanged, .detail = id})});
  Result<void> written = co_await store_.write(std::move(changes));
  if (!written) {
    forget_idle(id);
    co_return fail(written.error());
  }
  State& state = state_of(id);
  state.stored = true;
  state.row.quotas = quotas;
  state.row.updated_at = row.updated_at;
  state.filled = {};
  // A day that was saved meanwhile was written behind this, with the quotas from before.
  state.dirty = true;
  save_soon();
  co_return co_await get(std::move(caller), std::move(id));
}

Result<void> Tenants::take_session(const std::string& tenant, const SessionCost& cost) {
  State& state = state_of(tenant);
  const model::TenantQuotas& most = state.row.quotas;
  const TenantUse& used = state.use;
  Result<void> fits = check_one<std::uint64_t>("sessions", most.sessions, used.sessions, 1);
  if (fits) fits = check_one("cpu", most.cpu, used.cpu, cost.cpu - 1e-9);
  if (fits) fits = check_one("memory_mb", most.memory_mb, used.memory_mb, cost.memory_mb);
  if (fits) fits = check_one("disk_mb", most.disk_mb, used.disk_mb, cost.disk_mb);
  if (fits) {
    count_session(tenant, cost);
  } else {
    forget_idle(tenant);
  }
  return fits;
}

void Tenants::count_session(const std::string& tenant, const SessionCost& cost) {
  TenantUse& use = state_of(tenant).use;
  ++use.sessions;
  use.cpu += cost.cpu;
  use.memory_mb += cost.memory_mb;
  use.disk_mb += cost.disk_mb;
}

void Tenants::give_session(const std::string& tenant, const SessionCost& cost) {
  TenantUse& use = state_of(tenant).use;
  --use.sessions;
  use.cpu = use.sessions == 0 ? 0 : use.cpu - cost.cpu;
  use.memory_mb -= cost.memory_mb;
  use.disk_mb -= cost.disk_mb;
  forget_idle(tenant);
}

Result<void> Tenants::take_execution(const std::string& tenant) {
  State& state = state_of(tenant);
  const model::TenantQuotas& most = state.row.quotas;
  std::int64_t day = today();
  std::uint64_t so_far = state.row.day == day ? state.row.day_executions : 0;
  Result<void> fits =
      check_one<std::uint64_t>("executions", most.executions, state.use.executions, 1);
  if (fits && most.executions_per_day && so_far >= *most.executions_per_day) {
    auto since = std::chrono::duration_cast<std::chrono::seconds>(clock_.wall().time_since_epoch());
    fits = fail(quota_error("executions_per_day",
                            "the tenant's quota executions_per_day is used up (" +
                                std::to_string(*most.executions_per_day) + ")",
                            kDay - since % kDay));
  }
  if (!fits) {
    forget_idle(tenant);
    return fits;
  }
  ++state.use.executions;
  if (!state.stored) return {};
  state.row.day = day;
  state.row.day_executions = so_far + 1;
  state.dirty = true;
  save_soon();
  return {};
}

void Tenants::give_execution(const std::string& tenant) {
  --state_of(tenant).use.executions;
  forget_idle(tenant);
}

// A bucket that holds one second's worth, and at least one request.
Result<void> Tenants::take_request(const std::string& tenant) {
  auto found = states_.find(tenant);
  if (found == states_.end() || !found->second->row.quotas.requests_per_second) return {};
  State& state = *found->second;
  double rate = *state.row.quotas.requests_per_second;
  double most = std::max(rate, 1.0);
  auto now = clock_.steady();
  double passed = std::chrono::duration<double>(now - state.filled).count();
  bool first = state.filled == std::chrono::steady_clock::time_point{};
  state.tokens = first ? most : std::min(most, state.tokens + passed * rate);
  state.filled = now;
  if (rate > 0 && state.tokens >= 1) {
    state.tokens -= 1;
    return {};
  }
  double wait = rate > 0 ? std::min(std::ceil((1 - state.tokens) / rate), 86400.0) : 60;
  return fail(
      quota_error("requests_per_second",
                  "the tenant's quota requests_per_second is used up (" + number_text(rate) + ")",
                  std::chrono::seconds(static_cast<std::int64_t>(wait))));
}

Result<void> Tenants::check_snapshots(const std::string& tenant, std::uint64_t kept) const {
  auto found = states_.find(tenant);
  if (found == states_.end()) return {};
  return check_one<std::uint64_t>("snapshots", found->second->row.quotas.snapshots, kept, 1);
}

void Tenants::save_soon() {
  if (!std::exchange(saving_, true)) tasks_.spawn(save_later());
}

Task<void> Tenants::save_later() {
  co_await async::sleep_for(kSaveEvery);
  saving_ = false;
  co_await save_days();
}

Task<void> Tenants::save_days() {
  std::vector<store::Change> changes;
  std::vector<std::string> saved;
  for (auto& [id, state] : states_) {
    if (!std::exchange(state->dirty, false)) continue;
    changes.push_back(store::PutTenant{state->row});
    saved.push_back(id);
  }
  if (changes.empty()) co_return;
  Result<void> written = co_await store_.write(std::move(changes));
  if (written) co_return;
  for (const std::string& id : saved) state_of(id).dirty = true;
  log::warn("store_failed", log::kv("error", written.error().to_string()));
}

Task<void> Tenants::shut_down() {
  co_await tasks_.join();
  co_await save_days();
}

}  // namespace atl::control
