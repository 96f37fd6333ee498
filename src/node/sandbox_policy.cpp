#include "node/sandbox_policy.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "node/domain_lists.hpp"
#include "sandbox/host_root.hpp"

namespace atl::node {
namespace {

bool has_glob(const sandbox::FilesystemPatterns& patterns) {
  auto globs = [](const std::vector<std::string>& list) {
    return std::ranges::any_of(
        list, [](const std::string& one) { return one.find_first_of("*?[") != one.npos; });
  };
  return globs(patterns.deny_read) || globs(patterns.allow_write) || globs(patterns.deny_write);
}

std::vector<std::string> names_inside(const std::string& folder, bool follow) {
  if (sandbox::starts_empty(folder)) return {};
  return sandbox::names_in_host_root(folder, follow);
}

std::vector<std::string> no_names(const std::string& /*folder*/, bool /*follow*/) { return {}; }

bool is_workspace(const std::string& path) {
  return path == "/workspace" || path.starts_with("/workspace/");
}

std::vector<std::string> names_on_whole_host(const std::string& folder, bool follow) {
  // Nothing in the kernel's own folders is anybody's secret, and they have no
  // end.
  bool left_out = is_workspace(folder) || folder == "/proc" || folder == "/sys" || folder == "/dev";
  return left_out ? std::vector<std::string>() : sandbox::names_on_host(folder, follow);
}

}  // namespace

sandbox::Limits limits_of(const model::Template& origin, const model::SessionConfig& config) {
  const model::TemplateResources& most = origin.spec.resources;
  const model::Resources& asked = config.resources;
  sandbox::Limits limits;
  limits.cpus = asked.cpu.value_or(most.cpu);
  limits.memory_bytes = asked.memory.value_or(most.memory) << 20;
  limits.disk_bytes = asked.disk.value_or(most.disk) << 20;
  limits.pids = asked.pids.value_or(most.pids);
  return limits;
}

std::optional<sandbox::Preload> preload_of(const model::Template& origin) {
  if (origin.spec.language != "python" || origin.spec.image != "host") return std::nullopt;
  // Contexts start faster with IPython loaded, programs without.
  bool for_contexts =
      std::ranges::find(origin.spec.preload, "IPython") != origin.spec.preload.end();
  return sandbox::Preload{.modules = origin.spec.preload, .for_contexts = for_contexts};
}

sandbox::NetworkPolicy SandboxPolicy::network_of(const model::Template& origin) const {
  sandbox::NetworkPolicy all = policy_.network;
  const std::vector<std::string>& own = origin.spec.security.allowed_domains;
  all.allowed_domains.insert(all.allowed_domains.end(), own.begin(), own.end());
  return all;
}

Result<void> SandboxPolicy::check(const sandbox::BackendEntry& entry, const model::Template& origin,
                                  const model::SessionConfig& config) const {
  auto cannot = [&](const std::string& why) {
    return fail(Code::kPolicyUnsupported, "the backend " + entry.name + " " + why);
  };
  const model::TemplateSecurity& security = origin.spec.security;
  bool has_list = !network_of(origin).allowed_domains.empty();
  bool knows_rules = entry.has(sandbox::Cap::kNetworkPolicy);
  bool knows_lists = entry.has(sandbox::Cap::kDomainLists) && !knows_rules;
  if (has_list && !knows_lists && !knows_rules) {
    return cannot(
        "cannot tell one domain from another; native, docker and srt reach "
        "the domains of a list");
  }
  if (config.allow_network && !has_list && !entry.has(sandbox::Cap::kNetwork) && !knows_rules) {
    return cannot(knows_lists ? "reaches the domains of a list only: name them in allowed_domains"
                              : "has no network to give");
  }
  if (config.network && knows_lists) {
    Result<sandbox::NetworkPolicy> lists = lists_of(*config.network, entry.lists);
    if (!lists) return cannot("cannot enforce this network policy: " + lists.error().message());
  } else if (config.network && !knows_rules && model::allows_anything(*config.network)) {
    return cannot(
        "cannot enforce a network policy (config.network, security.network); native and docker "
        "can");
  }
  if (!security.read_only_filesystem && !entry.has(sandbox::Cap::kWritableRoot)) {
    return cannot("cannot make the root writable; native and docker can");
  }
  bool knows_names = origin.spec.image == "host" || entry.own_images;
  bool shows_packages = entry.has(sandbox::Cap::kMounts) && !entry.own_images;
  if (!origin.spec.preinstalled_packages.empty() && !shows_packages) {
    return cannot("cannot show preinstalled_packages; native can");
  }
  const sandbox::FilesystemPatterns& patterns = policy_.filesystem;
  if (patterns.empty()) return {};
  if (!entry.has(sandbox::Cap::kFilesystemPolicy)) {
    return cannot("cannot enforce sandbox.filesystem; native can");
  }
  if (!knows_names && has_glob(patterns)) {
    return cannot(
        "knows the globs of sandbox.filesystem only where the image "
        "is the host's");
  }
  return {};
}

Result<sandbox::NetworkPolicy> SandboxPolicy::lists_for(const sandbox::BackendEntry& entry,
                                                        const model::Template& origin,
                                                        const model::SessionConfig& config) const {
  if (!config.network || entry.has(sandbox::Cap::kNetworkPolicy)) return network_of(origin);
  ATOLL_TRY(sandbox::NetworkPolicy lists, lists_of(*config.network, entry.lists));
  lists.allow_local_binding = policy_.network.allow_local_binding;
  return lists;
}

bool SandboxPolicy::has_lists(const model::Template& origin) const {
  sandbox::NetworkPolicy all = network_of(origin);
  return !all.allowed_domains.empty() || !all.denied_domains.empty();
}

Result<void> SandboxPolicy::check_patterns() const {
  ATOLL_CHECK(sandbox::expand_policy(policy_.filesystem, &no_names));
  return {};
}

Result<sandbox::FilesystemPolicy> SandboxPolicy::filesystem_for(
    const sandbox::BackendEntry& entry) {
  std::optional<sandbox::FilesystemPolicy>& policy = expanded_[entry.whole_host ? 1 : 0];
  if (policy) return *policy;
  const sandbox::FilesystemPatterns& patterns = policy_.filesystem;
  if (entry.whole_host) {
    ATOLL_TRY(policy, sandbox::expand_policy(patterns, &names_on_whole_host, "/workspace", home_));
  } else {
    ATOLL_TRY(policy, sandbox::expand_policy(patterns, &names_inside));
    std::erase_if(policy->allow_write,
                  sandbox::starts_empty);  // writable anyway
  }
  return *policy;
}

}  // namespace atl::node
