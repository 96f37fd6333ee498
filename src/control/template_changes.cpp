// What clients change of templates. A change is for sessions that are made from now on.
#include <algorithm>
#include <utility>

#include "base/fault.hpp"
#include "base/quota.hpp"
#include "control/audit.hpp"
#include "control/templates.hpp"

namespace atl::control {

using async::Task;
using model::AuditAction;

Result<TemplatePtr> Templates::find_own(const Caller& caller, const std::string& id) const {
  ATOLL_TRY(TemplatePtr found, find(caller, id));
  if (found->tenant.empty() && !caller.is_owner()) {
    return fail(Code::kForbidden, "the template " + id +
                                      " is the server's: changing it takes a key with the role "
                                      "owner");
  }
  return found;
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
  ATOLL_CO_CHECK(check_template(id, spec, settings_.package_index));
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
  auto now = clock_.now();
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
  placement_.keep_ready(list());
  co_return Outcome<TemplatePtr>{.value = std::move(added)};
}

Task<Result<TemplatePtr>> Templates::replace(Caller caller, std::string id,
                                             model::TemplateSpec spec) {
  ATOLL_CO_CHECK(check_template(id, spec, settings_.package_index));
  ATOLL_CO_TRY(TemplatePtr old, find_own(caller, id));
  model::Template row = *old;
  row.spec = std::move(spec);
  ++row.version;
  row.updated_at = clock_.now();
  std::vector<store::Change> changes;
  changes.push_back(store::PutTemplate{row});
  changes.push_back(
      store::AddAudit{audit_row(caller, {.action = AuditAction::kTemplateChanged, .detail = id})});
  ATOLL_CO_CHECK(co_await write(std::move(changes)));
  TemplatePtr changed = std::make_shared<const model::Template>(std::move(row));
  templates_[id] = changed;
  placement_.keep_ready(list());
  co_return changed;
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
  placement_.keep_ready(list());
  co_return Result<void>();
}

}  // namespace atl::control
