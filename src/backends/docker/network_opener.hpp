// Opens the network of a running container to whoever gets its two sockets: a second container
// joins the network namespace, lays routes and rules with a capability that the first one never
// has, hands the sockets out over a mounted folder, and ends
// (docs/adr/0066-networks-of-containers.md).
#pragma once

#include <memory>
#include <string>

#include "async/task.hpp"
#include "backends/docker/shared.hpp"
#include "base/result.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::backends::docker {

// The container's id, and its image's. kHostUnsupported: the engine's kernel has no nft_tproxy.
async::Task<Result<sandbox::EgressSockets>> open_network(std::shared_ptr<Shared> shared,
                                                         SandboxId id, std::string container,
                                                         std::string image);

}  // namespace atl::backends::docker
