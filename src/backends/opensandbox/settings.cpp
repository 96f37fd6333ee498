#include "backends/opensandbox/settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/ids.hpp"
#include "sandbox/instance.hpp"

namespace atl::backends::opensandbox {
namespace {

// One of two servers, each with its own kind of shared folder.
void take_server(const Config& told, Settings& all) {
  const std::string& mount_path = told.vke.tos.mount_path;
  if (told.mode == Mode::kVke) {
    all.server_url = told.vke.server_url;
    all.api_key = told.vke.api_key;
    all.image = told.vke.default_image;
    if (told.vke.tos.enabled)
      all.volume = {.mount_path = mount_path, .claim = told.vke.tos.pvc_name};
    return;
  }
  all.server_url = told.local.server_url;
  all.api_key = told.local.api_key;
  all.image = told.local.default_image;
  std::string folder = told.local.tos_path;
  if (folder.starts_with("~/")) {
    const char* home = std::getenv("HOME");
    folder.replace(0, 1, home != nullptr ? home : "");
  }
  if (!folder.empty()) all.volume = {.mount_path = mount_path, .host_path = std::move(folder)};
}

}  // namespace

Config config_from_environment() {
  Config told;
  told.local.tos_path.clear();
  if (const char* domain = std::getenv("OPEN_SANDBOX_DOMAIN")) {
    std::string& url = told.local.server_url;
    url = domain;
    if (url.find("://") == std::string::npos) url.insert(0, "http://");
  }
  if (const char* key = std::getenv("OPEN_SANDBOX_API_KEY")) told.local.api_key = key;
  return told;
}

Settings settings_of(const Config& told) {
  Settings all;
  take_server(told, all);
  while (all.server_url.ends_with('/')) all.server_url.pop_back();
  if (all.server_url.ends_with("/v1")) all.server_url.resize(all.server_url.size() - 3);
  all.entrypoint = told.entrypoint;
  all.timeout = std::chrono::seconds(std::max<std::uint64_t>(told.runtime.timeout, 60));  // their
                                                                                          // least
  all.cpu = told.runtime.cpu;
  all.memory = told.runtime.memory;
  all.allowed_domains = told.network.allowed_domains;
  all.denied_domains = told.network.denied_domains;
  all.server_proxy = told.use_server_proxy;
  return all;
}

Result<Settings> settings_from(const sandbox::BackendOptions& options) {
  const Config* told = std::any_cast<Config>(&options.config);
  Settings all = settings_of(told != nullptr ? *told : config_from_environment());
  ATOLL_TRY(all.instance, sandbox::instance_of(options.state_folder, make_sortable_id()));
  return all;
}

}  // namespace atl::backends::opensandbox
