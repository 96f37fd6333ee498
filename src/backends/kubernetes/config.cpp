#include "backends/kubernetes/config.hpp"

#include <array>

#include "config/make_block.hpp"

namespace atl::backends::kubernetes {
namespace {

using namespace atl::config;  // Rule, its checks and limits

constexpr std::array kRules{
    Rule{.path = "sandbox.backends.kubernetes.kubeconfigPath",
         .says = "How to reach the cluster; empty: the pod's own service account, else "
                 "`~/.kube/config`.",
         .most = kMaxPath,
         .check = check_optional_path,
         .later = true},
    Rule{.path = "sandbox.backends.kubernetes.namespace",
         .says = "Namespace of the pods.",
         .most = 63,
         .check = check_name,
         .later = true},
    Rule{.path = "sandbox.backends.kubernetes.image",
         .says = "Image of templates that name none.",
         .most = kMaxImage,
         .check = check_plain,
         .later = true},
    Rule{.path = "sandbox.backends.kubernetes.imagePullPolicy",
         .says = "When nodes fetch the image.",
         .most = 16,
         .choices = "Always IfNotPresent Never",
         .later = true},
    Rule{.path = "sandbox.backends.kubernetes.requests.cpu",
         .says = "Processor time that a pod reserves.",
         .most = 32,
         .check = check_quantity,
         .later = true},
    Rule{.path = "sandbox.backends.kubernetes.requests.memory",
         .says = "Memory that a pod reserves.",
         .most = 32,
         .check = check_quantity,
         .later = true},
    Rule{.path = "sandbox.backends.kubernetes.limits.cpu",
         .says = "Processor time that a pod may use.",
         .most = 32,
         .check = check_quantity,
         .later = true},
    Rule{.path = "sandbox.backends.kubernetes.limits.memory",
         .says = "Memory that a pod may use.",
         .most = 32,
         .check = check_quantity,
         .later = true},
    Rule{.path = "sandbox.backends.kubernetes.readyTimeout",
         .says = "How long a pod may take to become ready.",
         .least = 1,
         .most = 3600,
         .unit = "s",
         .later = true},
};

}  // namespace

const config::BackendBlock& config_block() {
  static constexpr config::BackendBlock kBlock = config::make_block<Config>("kubernetes", kRules);
  return kBlock;
}

}  // namespace atl::backends::kubernetes
