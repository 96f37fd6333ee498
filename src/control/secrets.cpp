#include "control/secrets.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/field_error.hpp"
#include "base/quota.hpp"
#include "base/rollback.hpp"
#include "control/audit.hpp"

namespace atl::control {

using async::Task;
using model::AuditAction;

namespace {

Error no_secret(const std::string& name) {
  return Error(Code::kNotFound, "there is no secret " + name);
}

}  // namespace

bool is_secret_name(std::string_view name) {
  auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  auto fits = [&](char c) { return is_letter(c) || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= 100 && is_letter(name[0]) &&
         std::ranges::all_of(name, fits);
}

std::set<std::string> secrets_of(const model::NetworkPolicy& policy) {
  std::set<std::string> names;
  for (const model::SecretUse& use : policy.secrets) names.insert(use.secret);
  for (const auto& [pattern, headers] : policy.headers) {
    for (const auto& [header, value] : headers) {
      if (value.secret) names.insert(*value.secret);
    }
  }
  return names;
}

Task<Result<void>> Secrets::load() {
  ATOLL_CO_TRY(std::vector<model::SecretInfo> rows, co_await store_.secrets({}));
  for (const model::SecretInfo& row : rows) names_[row.tenant].insert(row.name);
  co_return Result<void>();
}

Task<Result<Secrets::Put>> Secrets::put(Caller caller, std::string name, std::string value) {
  if (!is_secret_name(name)) {
    co_return fail(Code::kInvalidValue,
                   "the name of a secret must be 1 to 100 of a-z, A-Z, 0-9, - _ and ., and begin "
                   "with a letter, a digit or _");
  }
  if (value.empty() || value.size() > kMaxValue) {
    co_return fail(field_error(Code::kInvalidValue, "/value", "must be 1 byte to 64 KiB"));
  }
  std::set<std::string>& names = names_[caller.tenant];
  if (!names.contains(name) && names.size() >= kMaxOfTenant) {
    co_return fail(quota_error("secrets", "the tenant has too many secrets: remove some"));
  }
  bool made = names.insert(name).second;
  Rollback undo;
  if (made) undo.add([this, tenant = caller.tenant, name] { names_[tenant].erase(name); });
  model::Secret row;
  row.tenant = caller.tenant;
  row.name = name;
  row.created_at = row.updated_at = clock_.now();
  row.value = std::move(value);
  Result<model::SecretInfo> old = co_await get(caller, name);
  if (!old && old.error().code() != Code::kNotFound) co_return fail(old.error());
  if (old) row.created_at = old->created_at;
  model::SecretInfo info = row;
  std::vector<store::Change> changes;
  changes.push_back(store::PutSecret{std::move(row)});
  changes.push_back(store::AddAudit{
      audit_row(caller, {.action = AuditAction::kSecretSet, .detail = std::move(name)})});
  ATOLL_CO_CHECK(co_await store_.write(std::move(changes)));
  undo.release();
  co_return Put{.info = std::move(info), .made = made};
}

Task<Result<std::vector<model::SecretInfo>>> Secrets::list(Caller caller) {
  co_return co_await store_.secrets(std::move(caller.tenant));
}

// By the list, so that no value is decrypted for a caller who may not see it.
Task<Result<model::SecretInfo>> Secrets::get(Caller caller, std::string name) {
  ATOLL_CO_TRY(std::vector<model::SecretInfo> rows, co_await list(std::move(caller)));
  auto found = std::ranges::find(rows, name, &model::SecretInfo::name);
  if (found == rows.end()) co_return fail(no_secret(name));
  co_return std::move(*found);
}

std::size_t Secrets::users_of(const std::string& tenant, const std::string& name) const {
  std::size_t count = 0;
  for (const LiveSessionPtr& session : sessions_.all()) {
    const std::optional<model::NetworkPolicy>& policy = session->row.config.network;
    if (session->row.tenant != tenant || session->ended() || !policy) continue;
    if (secrets_of(*policy).contains(name)) ++count;
  }
  return count;
}

Task<Result<void>> Secrets::remove(Caller caller, std::string name) {
  ATOLL_CO_TRY(model::SecretInfo row, co_await get(caller, name));
  if (std::size_t users = users_of(caller.tenant, name); users > 0) {
    co_return fail(Code::kConflict, "the secret " + name + " is used by " + std::to_string(users) +
                                        (users == 1 ? " live session" : " live sessions") +
                                        ": delete them or change their network first");
  }
  std::vector<store::Change> changes;
  changes.push_back(store::RemoveSecret{row.tenant, row.name});
  changes.push_back(store::AddAudit{
      audit_row(caller, {.action = AuditAction::kSecretDeleted, .detail = row.name})});
  ATOLL_CO_CHECK(co_await store_.write(std::move(changes)));
  names_[row.tenant].erase(row.name);
  co_return Result<void>();
}

Task<Result<void>> Secrets::check_used(std::string tenant, model::NetworkPolicy policy,
                                       std::string at) {
  std::set<std::string> missing = secrets_of(policy);
  if (missing.empty()) co_return Result<void>();
  ATOLL_CO_TRY(std::vector<model::SecretInfo> rows, co_await store_.secrets(std::move(tenant)));
  for (const model::SecretInfo& row : rows) missing.erase(row.name);
  if (missing.empty()) co_return Result<void>();
  co_return fail(field_error(Code::kInvalidValue, at,
                             "there is no secret " + *missing.begin() +
                                 "; make it with PUT /secrets/" + *missing.begin()));
}

Task<Result<std::map<std::string, std::string>>> Secrets::values_of(std::string tenant,
                                                                    model::NetworkPolicy policy) {
  std::map<std::string, std::string> values;
  for (const std::string& name : secrets_of(policy)) {
    ATOLL_CO_TRY(model::Secret row, co_await store_.secret(tenant, name));
    values[name] = std::move(row.value);
  }
  co_return values;
}

}  // namespace atl::control
