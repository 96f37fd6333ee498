// What clients change of a session that lives: its description, its lifetime, paused or not.
#pragma once

#include "async/task.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/requests.hpp"
#include "control/sessions.hpp"
#include "control/workspace_copies.hpp"

namespace atl::control {

class SessionChanges {
 public:
  SessionChanges(const SessionShared& shared, Sessions& sessions, WorkspaceCopies& copies)
      : shared_(shared), sessions_(sessions), copies_(copies) {}

  async::Task<Result<model::Session>> change(Caller caller, SessionId id, ChangeRequest request);
  // From now on; kAtLeast leaves a later end as it is.
  enum class Renewal { kExactly, kAtLeast };
  async::Task<Result<model::Session>> renew(Caller caller, SessionId id, std::uint64_t seconds,
                                            Renewal renewal = Renewal::kExactly);
  async::Task<Result<model::Session>> pause(Caller caller, SessionId id);
  async::Task<Result<model::Session>> resume(Caller caller, SessionId id);

 private:
  const SessionShared& shared_;
  Sessions& sessions_;
  WorkspaceCopies& copies_;
};

}  // namespace atl::control
