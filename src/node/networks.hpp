// The networks of sandboxes that live: their policies are changed here, and what goes over them is
// counted. The one implementation of today can do neither; the program that guards the way out is
// the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "model/network.hpp"

namespace atl::node {

struct NetworkFigures {
  std::uint64_t connections = 0;        // open
  std::uint64_t connections_total = 0;  // since the sandbox was made
  std::uint64_t rx_bytes = 0;           // from the outside
  std::uint64_t tx_bytes = 0;
  std::uint64_t refused_total = 0;
};

class Networks {
 public:
  virtual ~Networks() = default;
  // New connections at once, and open ones that it no longer allows are closed. kPolicyUnsupported
  // when it cannot be enforced.
  virtual async::Task<Result<void>> change(SandboxId id, model::NetworkPolicy policy) = 0;
  // nullopt: nobody counts.
  virtual async::Task<Result<std::optional<NetworkFigures>>> figures(SandboxId id) = 0;
};

// Sandboxes without a network: nothing can be opened, and nothing is counted.
std::unique_ptr<Networks> no_networks();

}  // namespace atl::node
