// The table of sessions: finding, listing and waiting for those that live here, and reading those
// that have ended from the store. SessionMaker puts them in, SessionEnder takes them out. On the
// I/O thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "async/deadline.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/live_session.hpp"
#include "control/session_shared.hpp"
#include "model/file.hpp"
#include "model/queries.hpp"

namespace atl::control {

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

// For protocols whose pages have numbers. At most kMaxCounted sessions are looked at.
struct NumberedPage {
  std::vector<model::Session> rows;  // newest first
  std::size_t total = 0;             // on all pages
};

class Sessions {
 public:
  static constexpr std::size_t kMaxCounted = 100'000;

  explicit Sessions(const SessionShared& shared) : shared_(shared) {}

  // kSessionNotFound, also for another tenant's.
  async::Task<Result<model::Session>> get(Caller caller, SessionId id);
  async::Task<Result<std::vector<model::Session>>> list(Caller caller, store::SessionFilter filter,
                                                        store::Page page);
  // `page` from 1, `size` rows each.
  async::Task<Result<NumberedPage>> list_page(Caller caller, store::SessionFilter filter,
                                              std::size_t page, std::size_t size);
  async::Task<Result<SessionStatus>> status(Caller caller, SessionId id);
  async::Task<Result<SessionUsage>> usage(Caller caller, SessionId id);
  async::Task<Result<std::vector<model::Process>>> processes(Caller caller, SessionId id);
  async::Task<Result<void>> check_alive(Caller caller, SessionId id);  // for the error of live()
  bool contains(const SessionId& id) const { return live_.contains(id); }
  // Of any tenant: for callers that check access themselves. Null: no live session.
  const model::Session* row_of(const SessionId& id) const;
  std::size_t live_count() const { return live_.size(); }
  std::size_t live_count(const std::string& runtime_node) const;
  std::size_t finding_count() const;  // not found again yet, after a restart

  // The rest is for the services of control.

  // Live ones only; kConflict with the state's name when it has ended.
  async::Task<Result<LiveSessionPtr>> live(Caller caller, SessionId id);
  // The same as live(), and waits while it is being made.
  async::Task<Result<Use>> use(Caller caller, SessionId id);
  Result<LiveSessionPtr> find_live(const Caller& caller, const SessionId& id) const;
  // The one of a key that can be used, once it can be; null: there is none.
  async::Task<Result<LiveSessionPtr>> of_key(std::string name);
  std::optional<SessionId> id_of_key(const std::string& name) const;  // whatever its state
  std::vector<LiveSessionPtr> all() const;
  // forget() takes it out again, and with it what it costs its tenant.
  void enter(const LiveSessionPtr& session);
  void forget(LiveSession& session);

  // At the deadline: nothing is wrong, the caller looks at what there is.
  async::Task<Result<void>> until(LiveSessionPtr session, async::Deadline deadline,
                                  std::function<bool(const LiveSession&)> condition);
  async::Task<Result<void>> until_found(LiveSessionPtr session);

  // Its row, with what it is recorded as.
  async::Task<Result<void>> put(LiveSessionPtr session, std::optional<store::AuditRow> audit = {});
  // To be written with the result of an execution: the session, if the store does not have it yet
  // or if it ends with this.
  std::vector<store::Change> with_result(LiveSession& session, bool ends) const;
  model::Session view(const LiveSession& session) const;  // as clients see it
  void publish(const LiveSession& session, std::string event);
  model::Time now() const;

  // Called by executions: counts, state `running` or `ready`, idle time.
  void began(LiveSession& session);
  void finished(LiveSession& session);

  std::string shared_or(std::string key) const;  // in mode shared all keys are one
  static std::string key_name(const std::string& tenant, const std::string& key);

 private:
  const SessionShared& shared_;
  std::map<SessionId, LiveSessionPtr> live_;
  std::map<std::string, SessionId> by_key_;  // tenant NUL session_key
};

}  // namespace atl::control
