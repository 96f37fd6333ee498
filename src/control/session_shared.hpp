// What the classes that work on sessions share: the table, the maker, the ender, changes, the
// watch.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "control/events.hpp"
#include "control/network_policies.hpp"
#include "control/tenants.hpp"
#include "node/networks.hpp"
#include "node/placement.hpp"
#include "node/workspaces.hpp"
#include "store/store.hpp"

namespace atl::control {

using node::Node;
using node::Placement;
using node::SandboxPtr;
using node::Workspaces;

enum class Mode { kPerSession, kShared, kDisabled };

struct SessionLimits {
  std::size_t live = 2000;  // beyond: kResourceExhausted
  std::uint64_t max_timeout_seconds = 7 * 24 * 3600;
  std::uint64_t timeout_seconds = 300;     // of a session that does not say
  std::uint64_t idle_timeout_seconds = 0;  // the same; 0: none
  // How long one that is stored late is seen by nobody. Most are over by then.
  std::chrono::milliseconds stored_after{10};
};

// Outlives them all.
struct SessionShared {
  async::Executor executor;
  store::Store& store;
  const Clock& clock;
  Events& events;
  Placement& placement;
  Tenants& tenants;
  Workspaces& workspaces;
  Mode mode;
  SessionLimits limits;
  const NetworkPolicies& network;
  node::Networks& networks;
};

}  // namespace atl::control
