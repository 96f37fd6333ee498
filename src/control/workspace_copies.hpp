// The folders on the host that sessions with a key keep their workspace in.
#pragma once

#include "async/task.hpp"
#include "control/sessions.hpp"

namespace atl::control {

class WorkspaceCopies {
 public:
  WorkspaceCopies(const SessionShared& shared, Sessions& sessions)
      : shared_(shared), sessions_(sessions) {}

  // Its folder on the host, if it has one, is as its workspace is when this returns. A failure is
  // for the log: what was run has run.
  async::Task<void> save(LiveSessionPtr session);

 private:
  const SessionShared& shared_;
  Sessions& sessions_;
};

}  // namespace atl::control
