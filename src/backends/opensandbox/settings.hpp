// What the OpenSandbox backend is told: where its server is and what its sandboxes are made of.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"

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

// From BackendOptions::settings: one JSON object below "opensandbox", and the folder
// "state_folder" that remembers the instance. kInvalidArgument when it is no such object.
Result<Settings> settings_from(const std::map<std::string, std::string>& settings);

}  // namespace atl::backends::opensandbox
