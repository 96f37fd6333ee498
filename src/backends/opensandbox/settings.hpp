// What the OpenSandbox backend is told: where its server is and what its sandboxes are made of.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "backends/opensandbox/config.hpp"
#include "base/result.hpp"
#include "sandbox/registry.hpp"

namespace atl::backends::opensandbox {

// A volume of every sandbox: a folder of the server's host, or a persistent volume claim.
struct Volume {
  std::string mount_path;  // empty: no volume
  std::string host_path;
  std::string claim;
};

struct Settings {
  std::string server_url = "http://localhost:8080";
  std::string api_key;
  std::string image = "opensandbox/code-interpreter:v1.0.1";
  std::vector<std::string> entrypoint{"/opt/opensandbox/code-interpreter.sh"};
  std::map<std::string, std::string> env;
  std::chrono::seconds timeout{300};  // how long a sandbox outlives whoever renews it
  std::string cpu = "500m";
  std::string memory = "1Gi";
  std::vector<std::string> allowed_domains;
  std::vector<std::string> denied_domains;
  Volume volume;
  std::chrono::seconds patience{30};  // with an answer of the server; a new sandbox takes longer
  bool server_proxy = false;          // reach sandboxes through the server instead of directly
  std::string instance;               // whose sandboxes these are, among all of that server
};

// Without a configuration, as the clients of OpenSandbox have it.
Config config_from_environment();
// Without the instance.
Settings settings_of(const Config& told);
// BackendOptions::state_folder remembers the instance.
Result<Settings> settings_from(const sandbox::BackendOptions& options);

}  // namespace atl::backends::opensandbox
