// The watch over live sessions: their expiry, sandboxes that die or are paused by somebody else,
// and workspaces that are to be saved.
#pragma once

#include "async/task.hpp"
#include "async/task_group.hpp"
#include "control/session_changes.hpp"
#include "control/session_ender.hpp"
#include "control/sessions.hpp"
#include "control/workspace_copies.hpp"

namespace atl::control {

class SessionWatch {
 public:
  SessionWatch(const SessionShared& shared, Sessions& sessions, SessionEnder& ender,
               SessionChanges& changes, WorkspaceCopies& copies)
      : shared_(shared),
        sessions_(sessions),
        ender_(ender),
        changes_(changes),
        copies_(copies),
        tasks_(shared.executor) {}

  async::Task<void> run_timers();  // for ever
  // Its guest did not keep the time of an execution: it is paused, or lost, or slow.
  void suspect(LiveSessionPtr session);
  async::Task<void> shut_down() { return tasks_.join(); }

 private:
  async::Task<void> look_at(LiveSessionPtr session);
  async::Task<bool> is_lost(LiveSessionPtr session);
  // Its lifetime is over.
  async::Task<void> expire(LiveSessionPtr session);
  async::Task<void> examine(LiveSessionPtr session);
  // Somebody else may have paused or resumed the sandbox: the row says what is true.
  async::Task<void> follow_pause(LiveSessionPtr session);

  const SessionShared& shared_;
  Sessions& sessions_;
  SessionEnder& ender_;
  SessionChanges& changes_;
  WorkspaceCopies& copies_;
  async::TaskGroup tasks_;
};

}  // namespace atl::control
