#include "backends/opensandbox/config.hpp"

#include <array>

#include "config/make_block.hpp"

namespace atl::backends::opensandbox {
namespace {

using namespace atl::config;  // Rule, its checks and limits

constexpr std::uint32_t kMaxWords = 64;

constexpr std::array kRules{
    Rule{.path = "sandbox.backends.opensandbox.mode",
         .says = "Which of the two servers below is used: `local` (Docker) or `vke` "
                 "(Kubernetes)."},
    Rule{.path = "sandbox.backends.opensandbox.entrypoint",
         .says = "What a sandbox runs beside its agent, from the image.",
         .most = kMaxPath,
         .items = kMaxWords,
         .check = check_plain},
    Rule{.path = "sandbox.backends.opensandbox.useServerProxy",
         .says = "Whether sandboxes are reached through the server, for they have addresses that "
                 "only it can reach."},
    Rule{.path = "sandbox.backends.opensandbox.local.serverUrl",
         .says = "Address of the OpenSandbox server.",
         .most = kMaxUrl,
         .check = check_http_url},
    Rule{.path = "sandbox.backends.opensandbox.local.apiKey",
         .says = "Key for it; empty: none is sent.",
         .most = kMaxKey,
         .check = check_secret,
         .secret = Secret::kWhole},
    Rule{.path = "sandbox.backends.opensandbox.local.defaultImage",
         .says = "Image of templates that name none.",
         .most = kMaxImage,
         .check = check_plain},
    Rule{.path = "sandbox.backends.opensandbox.local.tosPath",
         .says =
             "Folder of this host that stands in for the shared object storage, made when it is "
             "missing; the server must allow it. Empty: none.",
         .most = kMaxPath,
         .check = check_optional_path},
    Rule{.path = "sandbox.backends.opensandbox.vke.serverUrl",
         .says = "Address of the OpenSandbox server.",
         .most = kMaxUrl,
         .check = check_http_url},
    Rule{.path = "sandbox.backends.opensandbox.vke.apiKey",
         .says = "Key for it; empty: none is sent.",
         .most = kMaxKey,
         .check = check_secret,
         .secret = Secret::kWhole},
    Rule{.path = "sandbox.backends.opensandbox.vke.defaultImage",
         .says = "Image of templates that name none.",
         .most = kMaxImage,
         .check = check_plain},
    Rule{.path = "sandbox.backends.opensandbox.vke.namespace",
         .says = "Namespace of the server and its pods, which only the server has to know.",
         .most = 63,
         .check = check_name,
         .later = true},
    Rule{.path = "sandbox.backends.opensandbox.vke.kubeconfigPath",
         .says = "How to reach the cluster, which only the server has to.",
         .most = kMaxPath,
         .check = check_path,
         .later = true},
    Rule{.path = "sandbox.backends.opensandbox.vke.tos.enabled",
         .says = "Whether the shared object storage is mounted."},
    Rule{.path = "sandbox.backends.opensandbox.vke.tos.mountPath",
         .says = "Where it is mounted inside, in both modes; also told as TOS_MOUNT_PATH.",
         .most = kMaxPath,
         .check = check_absolute_path},
    Rule{.path = "sandbox.backends.opensandbox.vke.tos.pvcName",
         .says = "The volume claim that holds it.",
         .most = 253,
         .check = check_name},
    Rule{.path = "sandbox.backends.opensandbox.network.allowedDomains",
         .says = "Domains that sandboxes of this server may reach, besides `sandbox.network`.",
         .most = kMaxDomain,
         .items = kMaxRules,
         .check = check_domain},
    Rule{.path = "sandbox.backends.opensandbox.network.deniedDomains",
         .says = "Domains that sandboxes of this server may not reach.",
         .most = kMaxDomain,
         .items = kMaxRules,
         .check = check_domain},
    Rule{.path = "sandbox.backends.opensandbox.runtime.timeout",
         .says = "How long the server keeps a sandbox that is not renewed.",
         .least = 1,
         .most = kDay * 365,
         .unit = "s"},
    Rule{.path = "sandbox.backends.opensandbox.runtime.cpu",
         .says = "Processor time of a sandbox.",
         .most = 32,
         .check = check_quantity},
    Rule{.path = "sandbox.backends.opensandbox.runtime.memory",
         .says = "Memory of a sandbox.",
         .most = 32,
         .check = check_quantity},
};

constexpr config::BackendBlock make() {
  config::BackendBlock block = config::make_block<Config>("opensandbox", kRules);
  block.also_in_sandbox = true;
  return block;
}

}  // namespace

const config::BackendBlock& config_block() {
  static constexpr config::BackendBlock kBlock = make();
  return kBlock;
}

}  // namespace atl::backends::opensandbox
