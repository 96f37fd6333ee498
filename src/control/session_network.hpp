// The network of a session that lives: what it may reach, what goes over it, and what was refused.
// On the I/O thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "control/audit.hpp"
#include "control/caller.hpp"
#include "control/network_request.hpp"
#include "control/secrets.hpp"
#include "control/sessions.hpp"
#include "node/networks.hpp"

namespace atl::control {

struct NetworkView {
  model::NetworkPolicy policy;                  // that holds, whatever it was asked for as
  std::optional<node::NetworkFigures> figures;  // nullopt: nobody counts
};

// A change of the rules that hold. The default and everything else stay.
struct NetworkEdit {
  std::vector<model::NetworkRule> first;  // before all others
  std::vector<std::string> without;       // targets whose rules go
};

class SessionNetwork {
 public:
  // What is told of one session; the rest is only counted.
  static constexpr std::uint32_t kToldPerMinute = 60;

  SessionNetwork(const SessionShared& shared, Sessions& sessions, Secrets& secrets, Audit& audit)
      : shared_(shared), sessions_(sessions), secrets_(secrets), audit_(audit) {}

  async::Task<Result<NetworkView>> get(Caller caller, SessionId id);
  // In the store when this returns, and in force. Held to the template as at the create.
  async::Task<Result<NetworkView>> replace(Caller caller, SessionId id, NetworkRequest request);
  // The same with what is in force now, changed.
  async::Task<Result<NetworkView>> edit(Caller caller, SessionId id, NetworkEdit edit);
  // An event and a row of the audit. Told by the node.
  void refused(const SandboxId& id, const node::NetworkRefusal& refusal);

 private:
  struct Told {
    std::chrono::steady_clock::time_point since{};
    std::uint32_t count = 0;
  };
  bool may_tell(const SessionId& id);

  const SessionShared& shared_;
  Sessions& sessions_;
  Secrets& secrets_;
  Audit& audit_;
  std::map<SessionId, Told> told_;
};

}  // namespace atl::control
