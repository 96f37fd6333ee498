// The networks of sandboxes that live: opened when a sandbox is handed over, changed while it
// lives, counted, and closed before it ends. On the I/O thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "model/network.hpp"
#include "node/pool.hpp"

namespace atl::node {

struct NetworkConnection {
  std::string host;  // a name, or an address
  std::uint16_t port = 0;
  std::uint64_t rx_bytes = 0;
  std::uint64_t tx_bytes = 0;
  std::chrono::sys_time<std::chrono::milliseconds> since;
};

// What a policy did not allow, or what failed.
struct NetworkRefusal {
  std::string host;        // a name, or an address
  std::uint16_t port = 0;  // 0: the name was asked for
  std::string reason;      // "name_denied", …
  std::string detail;      // may be empty
  std::chrono::sys_time<std::chrono::milliseconds> at;
};

struct NetworkFigures {
  std::uint64_t connections_total = 0;  // since the sandbox was made
  std::uint64_t rx_bytes = 0;           // from the outside
  std::uint64_t tx_bytes = 0;
  std::uint64_t refused_total = 0;
  std::vector<NetworkConnection> open;
  std::vector<NetworkRefusal> refused;  // the last ones, the newest first
};

// What a sandbox gets.
struct NetworkGrant {
  model::NetworkPolicy policy;
  std::map<std::string, std::string> secrets;  // values of those that the policy names
  // Addresses of hosts that this process has looked up; they may be private (egress/protocol.hpp).
  std::map<std::string, std::vector<std::string>> pinned;
  std::string tenant;  // shares limits with its other sandboxes
};

class Networks {
 public:
  virtual ~Networks() = default;

  using OnRefused = std::function<void(const SandboxId&, const NetworkRefusal&)>;
  virtual void start(OnRefused on_refused) = 0;
  // For a new sandbox, one that was found again, or a changed policy: new connections at once, and
  // open ones that it does not allow any more are closed. kPolicyUnsupported when it cannot be
  // enforced; kNoAvailableRuntime when that fails now, and then it is in force as soon as possible.
  virtual async::Task<Result<void>> apply(SandboxPtr sandbox, NetworkGrant grant) = 0;
  // Before the sandbox ends: with its network go all its connections.
  virtual async::Task<void> release(SandboxId id) = 0;
  // Releases those that this process was not told of. When all that live have been found again.
  virtual async::Task<void> release_unknown() = 0;
  // nullopt: nobody counts.
  virtual async::Task<Result<std::optional<NetworkFigures>>> figures(SandboxId id) = 0;
  // `end`: no sandbox is left. Otherwise connections go on.
  virtual async::Task<void> stop(bool end) = 0;
};

// Sandboxes without a network: nothing can be opened, and nothing is counted.
std::unique_ptr<Networks> no_networks();

}  // namespace atl::node
