#include "control/templates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/environment_name.hpp"
#include "base/field_error.hpp"
#include "node/installers.hpp"

namespace atl::control {

using async::Task;

namespace {

bool is_seen_by(const Caller& caller, const model::Template& one) {
  return one.tenant.empty() || one.tenant == caller.tenant;
}

Error no_template(const std::string& id) {
  return Error(Code::kNotFound, "there is no template " + id);
}

Result<void> within(const char* name, std::uint64_t asked, std::uint64_t least,
                    std::uint64_t most) {
  if (asked >= least && asked <= most) return {};
  return fail(Code::kInvalidValue, std::string(name) + " must be between " + std::to_string(least) +
                                       " and " + std::to_string(most) + " here");
}

Result<void> check_resources(const model::TemplateResources& most, const model::Resources& asked) {
  if (asked.cpu && (!std::isfinite(*asked.cpu) || *asked.cpu < 0.01 || *asked.cpu > most.cpu)) {
    return fail(Code::kInvalidValue,
                "resources.cpu must be at least 0.01 and no more than the "
                "template's");
  }
  if (asked.memory) ATOLL_CHECK(within("resources.memory", *asked.memory, 8, most.memory));
  if (asked.disk) ATOLL_CHECK(within("resources.disk", *asked.disk, 1, most.disk));
  if (asked.pids) ATOLL_CHECK(within("resources.pids", *asked.pids, 1, most.pids));
  return {};
}

// Absent where the template has no more: such a session can have a sandbox of the pool.
model::Resources capped(const model::TemplateResources& most, model::Resources asked) {
  if (asked.cpu && *asked.cpu >= most.cpu) asked.cpu.reset();
  if (asked.memory && *asked.memory >= most.memory) asked.memory.reset();
  if (asked.disk && *asked.disk >= most.disk) asked.disk.reset();
  if (asked.pids && *asked.pids >= most.pids) asked.pids.reset();
  return asked;
}

Result<void> check_environment(const std::map<std::string, std::string>& environment) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : environment) {
    bytes += name.size() + value.size() + 2;
    if (!is_environment_name(name) || !is_environment_value(value)) {
      return fail(Code::kInvalidValue, "environment: invalid variable name or value: " + name);
    }
  }
  if (bytes > 256 * 1024) return fail(Code::kTooLarge, "environment: more than 256 KiB");
  return {};
}

// allow_network: true is everything that the template has; false is nothing.
Result<void> settle_allowed(const model::TemplateSecurity& security, const ConfigRequest& request,
                            model::SessionConfig& config) {
  if (request.network && request.allow_network) {
    return fail(field_error(Code::kInvalidValue, request.network->at,
                            "is mutually exclusive with `allow_network`"));
  }
  bool wanted = request.allow_network.value_or(true);
  if (request.allow_network.value_or(false) && !security.allow_network && !security.network) {
    return fail(Code::kForbidden, "the template has no network");
  }
  config.allow_network = wanted && security.allow_network && !request.network;
  if (wanted) config.network = security.network;
  return {};
}

}  // namespace

Task<Result<void>> Templates::load() {
  ATOLL_CO_TRY(std::vector<model::Template> stored, co_await store_.templates());
  for (model::Template& one : stored) {
    if (one.built_in && one.version == 1) one.spec.pool = settings_.pool_size;
    std::string id = one.id;
    templates_[id] = std::make_shared<const model::Template>(std::move(one));
  }
  std::vector<store::Change> changes;
  for (model::Template& one : built_in_templates()) {
    if (templates_.contains(one.id)) continue;
    one.created_at = one.updated_at = clock_.now();
    one.spec.pool = settings_.pool_size;
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

Result<model::SessionConfig> settle_config(const model::Template& origin,
                                           const ConfigRequest& request,
                                           const SessionLimits& limits) {
  const model::TemplateSpec& spec = origin.spec;
  model::SessionConfig config;
  config.timeout_seconds =
      request.timeout_seconds.value_or(spec.ttl.value_or(limits.timeout_seconds));
  ATOLL_CHECK(within("timeout_seconds", config.timeout_seconds, 1, limits.max_timeout_seconds));
  config.idle_timeout_seconds = request.idle_timeout_seconds;
  config.pause_on_timeout = request.pause_on_timeout;
  if (!config.idle_timeout_seconds && limits.idle_timeout_seconds > 0) {
    config.idle_timeout_seconds = std::min(limits.idle_timeout_seconds, limits.max_timeout_seconds);
  }
  if (config.idle_timeout_seconds) {
    ATOLL_CHECK(within("idle_timeout_seconds", *config.idle_timeout_seconds, 1,
                       limits.max_timeout_seconds));
  }
  ATOLL_CHECK(settle_allowed(spec.security, request, config));
  config.resources = request.resources;
  if (request.capped) config.resources = capped(spec.resources, config.resources);
  ATOLL_CHECK(check_resources(spec.resources, config.resources));
  ATOLL_CHECK(check_environment(request.environment));
  config.environment = spec.env;
  for (const auto& [name, value] : request.environment) config.environment[name] = value;
  if (!spec.preinstalled_packages.empty() && spec.language == "python") {
    std::string& path = config.environment["PYTHONPATH"];
    path = node::installer_of("python")->place + (path.empty() ? "" : ":" + path);
  }
  return config;
}

}  // namespace atl::control
