// Sessions from create to their end: by DELETE, by their lifetime, by idleness, or because the
// sandbox is gone.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/deadline.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/events.hpp"
#include "control/idempotency.hpp"
#include "control/live_session.hpp"
#include "control/requests.hpp"
#include "control/snapshot_files.hpp"
#include "control/templates.hpp"
#include "node/node.hpp"
#include "node/pool.hpp"
#include "node/workspaces.hpp"
#include "store/store.hpp"

namespace atl::control {

using node::Node;
using node::Pool;
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

struct SessionUsage {
  double cpu_usage_percent = 0;
  double memory_usage_mb = 0;
  double memory_limit_mb = 0;
  std::uint64_t network_rx_bytes = 0;
  std::uint64_t network_tx_bytes = 0;
  std::uint64_t pids_current = 0;
  double disk_usage_mb = 0;
  std::vector<std::string> alerts;
};

struct SessionStatus {
  model::SessionState status = model::SessionState::kCreating;
  std::vector<std::string> running;  // execution ids
  std::string last_execution;        // empty: none yet
};

class Sessions {
 public:
  Sessions(async::Executor executor, store::Store& store, const Clock& clock, Templates& templates,
           Node& node, Pool& pool, Workspaces& workspaces, SnapshotFiles& snapshots, Events& events,
           Mode mode, SessionLimits limits);
  ~Sessions();

  // Written to the store when this returns. From the pool it is `ready` by then, else `creating`
  // unless the request waits; one that cannot be made while the request waits is an error. A
  // session_key that has a live session gives that one (kFound).
  using Created = Outcome<model::Session>;
  async::Task<Result<Created>> create(Caller caller, CreateRequest request, Once once = {});
  // The parts of it, for runs. `once` goes with the first write.
  struct Begun {
    LiveSessionPtr session;
    bool made = true;    // false: it is the one that its session_key has
    bool ready = false;  // when it was written
  };
  async::Task<Result<Begun>> begin_one(Caller caller, CreateRequest request,
                                       const Once* once = nullptr);
  // Until it is ready; the reason when it never will be. At the deadline: the row as it is then.
  async::Task<Result<model::Session>> wait_ready(LiveSessionPtr session, async::Deadline deadline);

  // kSessionNotFound, also for another tenant's.
  async::Task<Result<model::Session>> get(Caller caller, SessionId id);
  async::Task<Result<std::vector<model::Session>>> list(Caller caller, store::SessionFilter filter,
                                                        store::Page page);
  // Live ones only; kConflict with the state's name when it has ended.
  async::Task<Result<LiveSessionPtr>> live(Caller caller, SessionId id);
  async::Task<Result<void>> check_alive(Caller caller, SessionId id);  // the same, for its error
  // The same as live(), and waits while it is being made.
  async::Task<Result<Use>> use(Caller caller, SessionId id);

  async::Task<Result<model::Session>> change(Caller caller, SessionId id, ChangeRequest request);
  async::Task<Result<model::Session>> renew(Caller caller, SessionId id, std::uint64_t seconds);
  async::Task<Result<model::Session>> pause(Caller caller, SessionId id);
  async::Task<Result<model::Session>> resume(Caller caller, SessionId id);
  // Everything of it is gone, and the store says so, when this returns. A second one finds it ended
  // and is content.
  async::Task<Result<void>> remove(Caller caller, SessionId id);
  // The live one of this key, if there is one; of the caller's tenant alone, as everything by key.
  async::Task<Result<void>> remove_by_key(Caller caller, std::string key);
  async::Task<Result<SessionStatus>> status(Caller caller, SessionId id);
  async::Task<Result<SessionUsage>> usage(Caller caller, SessionId id);

  std::uint64_t created_total() const { return created_total_; }
  const SessionLimits& limits() const { return limits_; }

  // For Recovery: a session of the last server. Clients see it as it was stored; whoever wants to
  // use it waits until one of the three calls below.
  LiveSessionPtr expect(model::Session row, TemplatePtr recipe);
  struct Found {
    SandboxPtr sandbox;
    std::unique_ptr<contexts::Contexts> contexts;
    std::map<std::string, std::uint64_t> known_contexts;
  };
  void found(LiveSession& session, Found found);
  // One that was still being made when the server ended.
  void make_again(LiveSessionPtr session);
  // Its sandbox is ended, wherever it is; the store is told as soon as it takes the word.
  async::Task<void> lose(LiveSessionPtr session, model::SessionState state, std::string code,
                         std::string message);
  std::size_t finding_count() const;
  std::size_t live_count() const { return live_.size(); }
  std::vector<LiveSessionPtr> all() const;
  // Timers, and the watch over sandboxes that die by themselves.
  async::Task<void> run_timers();
  // Ends every session (clean shutdown), or lets go of them so that they are found again.
  async::Task<void> shut_down(bool end_sandboxes);

  // Called by executions: counts, state `running` or `ready`, idle time.
  void began(LiveSession& session);
  // To be written with the result of an execution: the session, if the store does not have it yet
  // or if it ends with this.
  std::vector<store::Change> with_result(LiveSession& session, bool ends) const;
  void finished(LiveSession& session);
  // Its folder on the host, if it has one, is as its workspace is when this returns. A failure is
  // for the log: what was run has run.
  async::Task<void> save_files(LiveSessionPtr session);
  // Its guest did not keep the time of an execution: it is paused, or lost, or slow.
  void suspect(LiveSessionPtr session);

 private:
  using AuditRow = std::optional<store::AuditRow>;  // what a write is recorded as, if it is

  // `files`: of an earlier session, which a new sandbox shall begin with.
  LiveSessionPtr begin(const Caller& caller, CreateRequest& request, TemplatePtr recipe,
                       model::SessionConfig config, bool files);
  async::Task<Result<void>> fill(LiveSessionPtr session, SandboxPtr sandbox);
  void set_ready(LiveSession& session, SandboxPtr sandbox);
  async::Task<void> take_limits(LiveSessionPtr session);
  std::string shared_or(std::string key) const;  // in mode shared all keys are one
  static std::string key_name(const std::string& tenant, const std::string& key);
  void enter(const LiveSessionPtr& session);  // forget() takes it out again
  void forget(LiveSession& session);
  void publish(const LiveSession& session, std::string event);
  model::Session view(const LiveSession& session) const;
  Result<LiveSessionPtr> find_live(const Caller& caller, const SessionId& id) const;
  model::Time now() const;
  async::Task<Result<LiveSessionPtr>> of_key(std::string name);  // null: there is none
  async::Task<Result<void>> store_first(LiveSessionPtr session, const Once* once);
  async::Task<Result<void>> check_snapshot(std::string tenant, std::string id);
  async::Task<Result<Created>> created_before(Caller caller, model::Made made);
  async::Task<void> store_soon(LiveSessionPtr session);
  async::Task<void> make(LiveSessionPtr session);
  // An error: the sandbox is gone, and the store will be told as soon as it takes the word.
  async::Task<Result<void>> end(LiveSessionPtr session, model::SessionState state, std::string code,
                                std::string message, AuditRow audit = {});
  // False: somebody else has begun it. `event`: kEnd, or kNotMade when nobody makes its sandbox.
  bool begin_end(const LiveSessionPtr& session, model::SessionEvent event,
                 model::SessionState state, std::string code, std::string message, AuditRow audit);
  async::Task<void> take_down(LiveSessionPtr session, AuditRow audit);
  async::Task<void> end_quietly(LiveSessionPtr session, model::SessionState state, std::string code,
                                std::string message);
  async::Task<void> write_end(LiveSessionPtr session, AuditRow audit);
  async::Task<void> look_at(LiveSessionPtr session);
  async::Task<bool> is_lost(LiveSessionPtr session);
  async::Task<void> examine(LiveSessionPtr session);
  // Somebody else may have paused or resumed the sandbox: the row says what is true.
  async::Task<void> follow_pause(LiveSessionPtr session);
  async::Task<Result<void>> until_found(LiveSessionPtr session);
  async::Task<void> destroy_sandbox(std::string backend, SandboxId id);
  async::Task<void> stop_sandbox(SandboxPtr sandbox);
  async::Task<void> stop_soon(SandboxPtr sandbox);
  async::Task<Result<void>> put(LiveSessionPtr session, AuditRow audit = {});
  async::Task<Result<void>> until(LiveSessionPtr session, async::Deadline deadline,
                                  std::function<bool(const LiveSession&)> condition);

  async::Executor executor_;
  store::Store& store_;
  const Clock& clock_;
  Templates& templates_;
  Node& node_;
  Pool& pool_;
  Workspaces& workspaces_;
  SnapshotFiles& snapshot_files_;
  Events& events_;
  Mode mode_;
  SessionLimits limits_;
  std::map<SessionId, LiveSessionPtr> live_;
  std::map<std::string, SessionId> by_key_;  // tenant NUL session_key
  std::uint64_t created_total_ = 0;
  async::TaskGroup tasks_;
  async::TaskGroup ends_;       // take_down()
  async::TaskGroup stopping_;   // sandboxes on their way out
  async::TaskGroup elsewhere_;  // the same, of those that nobody here has found
};

}  // namespace atl::control
