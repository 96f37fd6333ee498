#include "backends/docker/config.hpp"

#include <array>

#include "config/make_block.hpp"

namespace atl::backends::docker {
namespace {

using namespace atl::config;  // Rule, its checks and limits

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
         .says = "Image of templates that name none.",
         .most = kMaxImage,
         .check = check_plain},
    Rule{.path = "sandbox.backends.docker.networkMode",
         .says = "Docker network of sandboxes that are allowed a network (`allow_network`); "
                 "the others have none.",
         .most = 128,
         .check = check_plain},
};

}  // namespace

const config::BackendBlock& config_block() {
  static constexpr config::BackendBlock kBlock = config::make_block<Config>("docker", kRules);
  return kBlock;
}

}  // namespace atl::backends::docker
