#include "control/session_config.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/environment_name.hpp"
#include "node/installers.hpp"

namespace atl::control {
namespace {

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

}  // namespace

Result<model::SessionConfig> settle_config(const model::Template& origin,
                                           const ConfigRequest& request,
                                           const SessionLimits& limits) {
  const model::TemplateSpec& spec = origin.spec;
  model::SessionConfig config;
  config.timeout_seconds =
      request.timeout_seconds.value_or(spec.ttl.value_or(limits.timeout_seconds));
  ATOLL_CHECK(within("timeout_seconds", config.timeout_seconds, 1, limits.max_timeout_seconds));
  config.idle_timeout_seconds = request.idle_timeout_seconds;
  if (!config.idle_timeout_seconds && limits.idle_timeout_seconds > 0) {
    config.idle_timeout_seconds = std::min(limits.idle_timeout_seconds, limits.max_timeout_seconds);
  }
  if (config.idle_timeout_seconds) {
    ATOLL_CHECK(within("idle_timeout_seconds", *config.idle_timeout_seconds, 1,
                       limits.max_timeout_seconds));
  }
  config.allow_network = request.allow_network.value_or(spec.security.allow_network);
  if (config.allow_network && !spec.security.allow_network && request.allow_network) {
    return fail(Code::kForbidden, "the template has no network");
  }
  ATOLL_CHECK(check_resources(spec.resources, request.resources));
  config.resources = request.resources;
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
