#include "backends/docker/config.hpp"

#include <array>

#include "config/make_block.hpp"

namespace atl::backends::docker {
namespace {

using namespace atl::config;  // Rule, its checks and limits

// What package managers need as root. Others would give power over the host's kernel.
std::string_view check_capability(std::string_view text) {
  bool known = text == "CHOWN" || text == "SETUID" || text == "SETGID";
  return known ? "" : "must be CHOWN, SETUID or SETGID: sandboxes get no other capability";
}

constexpr std::array kRules{
    Rule{.path = "sandbox.backends.docker.host",
         .says = "Address of the Docker engine, `unix:///path` or `tcp://host:port`; empty: "
                 "`DOCKER_HOST`, else `unix:///var/run/docker.sock`.",
         .most = kMaxUrl,
         .check = check_engine},
    Rule{.path = "sandbox.backends.docker.certPath",
         .says = "Folder with `ca.pem`, `cert.pem` and `key.pem` for an engine behind TLS; empty: "
                 "no TLS, unless the environment asks for it (`DOCKER_TLS_VERIFY`).",
         .most = kMaxPath,
         .check = check_optional_path},
    Rule{.path = "sandbox.backends.docker.image",
         .says =
             "Image of templates that name none. As long as it is the default, only for Python: "
             "JavaScript has `node:20-alpine`, Bash `ubuntu:22.04`.",
         .most = kMaxImage,
         .check = check_plain},
    Rule{.path = "sandbox.backends.docker.networkMode",
         .says = "Docker network of sandboxes that may reach everything; a policy with rules is "
                 "refused then. `bridge`: none, and policies hold as on native.",
         .most = 128,
         .check = check_plain},
    Rule{.path = "sandbox.backends.docker.capAdd",
         .says = "Capabilities of programs in sandboxes: `CHOWN`, `SETUID`, `SETGID`. With any of "
                 "them programs run as root of the container, and `isolation.missing` names them "
                 "(`no_cap_chown`).",
         .most = 16,
         .items = 3,
         .check = check_capability},
};

}  // namespace

std::string default_image(const Config& config, const std::string& language) {
  if (config.image != kPythonImage) return config.image;
  if (language == "javascript") return kNodeImage;
  return language == "bash" ? kShellImage : kPythonImage;
}

const config::BackendBlock& config_block() {
  static constexpr config::BackendBlock kBlock = config::make_block<Config>("docker", kRules);
  return kBlock;
}

}  // namespace atl::backends::docker
