#include "control/templates.hpp"

#include <algorithm>
#include <utility>

#include "base/fault.hpp"
#include "base/quota.hpp"
#include "control/audit.hpp"

namespace atl::control {

using async::Task;
using model::AuditAction;

namespace {

bool is_seen_by(const Caller& caller, const model::Template& one) {
  return one.tenant.empty() || one.tenant == caller.tenant;
}

Error no_template(const std::string& id) {
  return Error(Code::kNotFound, "there is no template " + id);
}

}  // namespace

Task<Result<void>> Templates::load() {
  ATOLL_CO_TRY(std::vector<model::Template> stored, co_await store_.templates());
  for (model::Template& one : stored) {
    if (one.built_in && one.version == 1) one.spec.pool = pool_size_;
    std::string id = one.id;
    templates_[id] = std::make_shared<const model::Template>(std::move(one));
  }
  std::vector<store::Change> changes;
  for (model::Template& one : built_in_templates()) {
    if (templates_.contains(one.id)) continue;
    one.created_at = one.updated_at =
        std::chrono::time_point_cast<std::chrono::milliseconds>(clock_.wall());
    one.spec.pool = pool_size_;
    changes.push_back(store::PutTemplate{one});
    std::string id = one.id;
    templates_[id] = std::make_shared<const model::Template>(std::move(one));
  }
  if (!changes.empty()) ATOLL_CO_CHECK(co_await store_.write(std::move(changes)));
  co_return Result<void>();
}

Result<TemplatePtr> Templates::find(const std::string& id) const {
  auto found = templates_.find(id);
  if (found == templates_.end()) return fail(no_template(id));
  return found->second;
}

Result<TemplatePtr> Templates::find(const Caller& caller, const std::string& id) const {
  ATOLL_TRY(TemplatePtr found, find(id));
  if (!is_seen_by(caller, *found)) return fail(no_template(id));
  return found;
}

Result<TemplatePtr> Templates::find_own(const Caller& caller, const std::string& id) const {
  ATOLL_TRY(TemplatePtr found, find(caller, id));
  if (found->tenant.empty() && !caller.is_owner()) {
    return fail(Code::kForbidden, "the template " + id +
                                      " is the server's: changing it takes a key with the role "
                                      "owner");
  }
  return found;
}

std::vector<TemplatePtr> Templates::list(const Caller& caller) const {
  std::vector<TemplatePtr> seen;
  for (const auto& [id, one] : templates_) {
    if (is_seen_by(caller, *one)) seen.push_back(one);
  }
  return seen;
}

std::vector<TemplatePtr> Templates::list() const {
  std::vector<TemplatePtr> all;
  for (const auto& [id, one] : templates_) all.push_back(one);
  return all;
}

Task<Result<void>> Templates::write(std::vector<store::Change> changes) {
  fault::here("template.begun");
  Result<void> written = co_await store_.write(std::move(changes));
  fault::here("template.written");
  co_return written;
}

Task<Result<Outcome<TemplatePtr>>> Templates::add(Caller caller, std::string id,
                                                  model::TemplateSpec spec, Once once) {
  if (once.earlier()) {
    Result<TemplatePtr> made = find(caller, once.earlier()->id);
    if (!made) co_return fail(gone_since(*once.earlier()));
    co_return Outcome<TemplatePtr>{.value = std::move(*made), .replayed = true};
  }
  ATOLL_CO_CHECK(check_template(id, spec, package_index_));
  if (templates_.contains(id)) {
    co_return fail(Code::kAlreadyExists, "there is a template " + id + " already");
  }
  if (templates_.size() >= kMax) {
    co_return fail(Code::kResourceExhausted, "there are too many templates: remove some");
  }
  std::string tenant = caller.is_owner() && !caller.chose_tenant ? "" : caller.tenant;
  auto is_own = [&](const auto& one) { return one.second->tenant == tenant; };
  if (!tenant.empty() && std::ranges::count_if(templates_, is_own) >= kMaxOfTenant) {
    co_return fail(quota_error("templates", "the tenant has too many templates: remove some"));
  }
  auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(clock_.wall());
  model::Template row{.id = id,
                      .tenant = std::move(tenant),
                      .spec = std::move(spec),
                      .created_at = now,
                      .updated_at = now};
  std::vector<store::Change> changes;
  once.add_to(changes, {.kind = model::MadeKind::kTemplate, .id = id});
  changes.push_back(store::AddTemplate{row});
  changes.push_back(
      store::AddAudit{audit_row(caller, {.action = AuditAction::kTemplateCreated, .detail = id})});
  ATOLL_CO_CHECK(co_await write(std::move(changes)));
  TemplatePtr added = std::make_shared<const model::Template>(std::move(row));
  templates_[id] = added;
  co_return Outcome<TemplatePtr>{.value = std::move(added)};
}

Task<Result<TemplatePtr>> Templates::replace(Caller caller, std::string id,
                                             model::TemplateSpec spec) {
  ATOLL_CO_CHECK(check_template(id, spec, package_index_));
  ATOLL_CO_TRY(TemplatePtr old, find_own(caller, id));
  model::Template row = *old;
  row.spec = std::move(spec);
  ++row.version;
  row.updated_at = std::chrono::time_point_cast<std::chrono::milliseconds>(clock_.wall());
  std::vector<store::Change> changes;
  changes.push_back(store::PutTemplate{row});
  changes.push_back(
      store::AddAudit{audit_row(caller, {.action = AuditAction::kTemplateChanged, .detail = id})});
  ATOLL_CO_CHECK(co_await write(std::move(changes)));
  co_return templates_[id] = std::make_shared<const model::Template>(std::move(row));
}

Task<Result<void>> Templates::remove(Caller caller, std::string id) {
  ATOLL_CO_TRY(TemplatePtr old, find_own(caller, id));
  if (old->built_in) {
    co_return fail(Code::kConflict, "the built-in template " + id + " cannot be removed");
  }
  std::vector<store::Change> changes;
  changes.push_back(store::RemoveTemplate{id});
  changes.push_back(
      store::AddAudit{audit_row(caller, {.action = AuditAction::kTemplateDeleted, .detail = id})});
  ATOLL_CO_CHECK(co_await write(std::move(changes)));
  templates_.erase(id);
  co_return Result<void>();
}

}  // namespace atl::control
