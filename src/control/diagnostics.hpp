// What is known of a session that went wrong, also after its end: how it ended, what was done in
// it, and the end of what its programs printed. On the I/O thread.
#pragma once

#include <string>
#include <vector>

#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "control/audit.hpp"
#include "control/caller.hpp"
#include "control/executions.hpp"
#include "control/sessions.hpp"

namespace atl::control {

struct SessionDiagnostics {
  model::Session session;
  std::vector<model::Execution> executions;  // the last ones, the oldest first; without output
  std::vector<model::AuditRow> events;       // the same
  std::string log;                           // what they printed: the last kMaxLog bytes
  bool log_truncated = false;
};

class Diagnostics {
 public:
  static constexpr std::size_t kMaxLog = 64u << 10;
  static constexpr std::size_t kExecutions = 20;
  static constexpr std::size_t kEvents = 100;

  Diagnostics(Sessions& sessions, Executions& executions, Audit& audit)
      : sessions_(sessions), executions_(executions), audit_(audit), pool_(1) {}

  // kSessionNotFound as Sessions::get(); ended sessions have theirs as long as their results are
  // kept.
  async::Task<Result<SessionDiagnostics>> get(Caller caller, SessionId id);

 private:
  Sessions& sessions_;
  Executions& executions_;
  Audit& audit_;
  async::Pool pool_;  // for outputs in files
};

}  // namespace atl::control
