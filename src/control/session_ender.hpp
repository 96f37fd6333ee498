// The end of sessions: by DELETE, by expiry, by failure, or because the server stops. On the I/O
// thread.
#pragma once

#include <optional>
#include <string>

#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/sessions.hpp"
#include "control/workspace_copies.hpp"

namespace atl::control {

class SessionEnder {
 public:
  using AuditRow = std::optional<store::AuditRow>;  // what a write is recorded as, if it is

  SessionEnder(const SessionShared& shared, Sessions& sessions, WorkspaceCopies& copies);

  // Everything of it is gone, and the store says so, when this returns. A second one finds it ended
  // and is content.
  async::Task<Result<void>> remove(Caller caller, SessionId id);
  // The live one of this key, if there is one; of the caller's tenant alone, as everything by key.
  async::Task<Result<void>> remove_by_key(Caller caller, std::string key);

  // Until it is over. Its sandbox is ended, wherever it is; the store is told as soon as it takes
  // the word.
  async::Task<void> end_quietly(LiveSessionPtr session, model::SessionState state, std::string code,
                                std::string message);
  // False: somebody else has begun it. `event`: kEnd, or kNotMade when nobody makes its sandbox.
  bool begin_end(const LiveSessionPtr& session, model::SessionEvent event,
                 model::SessionState state, std::string code, std::string message, AuditRow audit);
  // A sandbox that no session wants.
  async::Task<void> stop_sandbox(SandboxPtr sandbox);
  void stop_later(SandboxPtr sandbox) { stopping_.spawn(stop_sandbox(std::move(sandbox))); }

  // Ends every session (clean shutdown), or lets go of them so that they are found again; then
  // waits for sandboxes on their way out. finish() comes last.
  async::Task<void> shut_down(bool end_sandboxes);
  async::Task<void> finish();

 private:
  // An error: the sandbox is gone, and the store will be told as soon as it takes the word.
  async::Task<Result<void>> end(LiveSessionPtr session, model::SessionState state, std::string code,
                                std::string message, AuditRow audit = {});
  async::Task<void> take_down(LiveSessionPtr session, AuditRow audit);
  async::Task<void> write_end(LiveSessionPtr session, AuditRow audit);
  async::Task<void> destroy_sandbox(Node* node, std::string backend, SandboxId id);
  async::Task<void> stop_soon(SandboxPtr sandbox);

  const SessionShared& shared_;
  Sessions& sessions_;
  WorkspaceCopies& copies_;
  async::TaskGroup tasks_;      // write_end()
  async::TaskGroup ends_;       // take_down()
  async::TaskGroup stopping_;   // sandboxes on their way out
  async::TaskGroup elsewhere_;  // the same, of those that nobody here has found
};

}  // namespace atl::control
