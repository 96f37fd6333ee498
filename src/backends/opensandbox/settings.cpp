#include "backends/opensandbox/settings.hpp"

#include <cstdlib>
#include <utility>

#include <boost/describe/class.hpp>

#include "base/ids.hpp"
#include "codec/json.hpp"
#include "sandbox/instance.hpp"

namespace atl::backends::opensandbox {
namespace {

struct Described {
  std::string server_url = Settings().server_url;
  std::string api_key;
  std::string image = Settings().image;
  std::vector<std::string> entrypoint = Settings().entrypoint;
  std::map<std::string, std::string> env;
  std::uint64_t timeout = 300;
  std::string cpu = Settings().cpu;
  std::string memory = Settings().memory;
  std::vector<std::string> allowed_domains;
  std::vector<std::string> denied_domains;
  std::string mount_path;
  std::string host_path;
  std::string claim;
  bool server_proxy = false;
};
BOOST_DESCRIBE_STRUCT(Described, (),
                      (server_url, api_key, image, entrypoint, env, timeout, cpu, memory,
                       allowed_domains, denied_domains, mount_path, host_path, claim, server_proxy))

std::string value_of(const std::map<std::string, std::string>& settings, const char* name) {
  auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

// Without a configuration, as the clients of OpenSandbox have it.
void told_by_environment(Described& told) {
  if (const char* domain = std::getenv("OPEN_SANDBOX_DOMAIN")) {
    told.server_url = domain;
    if (told.server_url.find("://") == std::string::npos) told.server_url.insert(0, "http://");
  }
  if (const char* key = std::getenv("OPEN_SANDBOX_API_KEY")) told.api_key = key;
}

}  // namespace

Result<Settings> settings_from(const std::map<std::string, std::string>& settings) {
  std::string text = value_of(settings, "opensandbox");
  Described told;
  if (!text.empty()) {
    auto decoded = codec::decode<Described>(text, {.keep_defaults = true});
    if (!decoded) {
      return fail(
          Code::kInvalidArgument,
          "the settings of OpenSandbox: " + decoded.error().pointer + " " + decoded.error().detail);
    }
    told = std::move(*decoded);
  } else {
    told_by_environment(told);
  }
  Settings all;
  all.server_url = std::move(told.server_url);
  while (all.server_url.ends_with('/')) all.server_url.pop_back();
  if (all.server_url.ends_with("/v1")) all.server_url.resize(all.server_url.size() - 3);
  all.api_key = std::move(told.api_key);
  all.image = std::move(told.image);
  all.entrypoint = std::move(told.entrypoint);
  all.env = std::move(told.env);
  all.timeout = std::chrono::seconds(std::max<std::uint64_t>(told.timeout, 60));  // their least
  all.cpu = std::move(told.cpu);
  all.memory = std::move(told.memory);
  all.allowed_domains = std::move(told.allowed_domains);
  all.denied_domains = std::move(told.denied_domains);
  all.volume = {.mount_path = std::move(told.mount_path),
                .host_path = std::move(told.host_path),
                .claim = std::move(told.claim)};
  all.server_proxy = told.server_proxy;
  ATOLL_TRY(all.instance,
            sandbox::instance_of(value_of(settings, "state_folder"), make_sortable_id()));
  return all;
}

}  // namespace atl::backends::opensandbox
