// The control plane: everything behind the API, wired together.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "control/access_tokens.hpp"
#include "control/approvals.hpp"
#include "control/audit.hpp"
#include "control/decide.hpp"
#include "control/default_sandboxes.hpp"
#include "control/diagnostics.hpp"
#include "control/events.hpp"
#include "control/executions.hpp"
#include "control/files.hpp"
#include "control/idempotency.hpp"
#include "control/kept_terminals.hpp"
#include "control/keys.hpp"
#include "control/network_policies.hpp"
#include "control/ports.hpp"
#include "control/preview_tokens.hpp"
#include "control/recovery.hpp"
#include "control/runs.hpp"
#include "control/secrets.hpp"
#include "control/session_changes.hpp"
#include "control/session_ender.hpp"
#include "control/session_maker.hpp"
#include "control/session_network.hpp"
#include "control/session_watch.hpp"
#include "control/sessions.hpp"
#include "control/snapshot_files.hpp"
#include "control/snapshots.hpp"
#include "control/templates.hpp"
#include "control/tenants.hpp"
#include "control/terminals.hpp"
#include "control/test_runs.hpp"
#include "control/workspace_copies.hpp"
#include "node/networks.hpp"
#include "node/placement.hpp"
#include "node/quotas.hpp"
#include "node/workspaces.hpp"
#include "store/store.hpp"

namespace atl::control {

struct ControlOptions {
  async::Executor executor;
  std::unique_ptr<store::Store> store;
  std::vector<std::unique_ptr<node::Node>> nodes;  // at least one
  Mode mode = Mode::kPerSession;
  SessionLimits limits;
  ExecutionLimits executions;
  std::uint32_t pool_size = 5;  // of built-in templates that nobody has changed
  NetworkSettings network;
  CodePolicy code;
  ApprovalLimits approvals;
  std::unique_ptr<node::Networks> networks;  // none: no_networks()
  bool package_index = false;                // templates may have packages
  bool cleanup_on_exit = true;
  std::function<void()> on_lost;  // called once, when Control::is_lost() has become true
  node::QuotaLimits quotas;       // of each tenant
  node::SpaceFloor floor;         // of the disk that everything below is on
  std::string workspace_folder;   // empty: workspaces of sessions with a key are not kept
  std::string snapshot_folder;    // empty: no snapshots
  std::string journal_folder;     // empty: the output of a running execution dies with the server
  std::chrono::seconds results_kept{7 * 24 * 3600};  // of sessions that have ended
  std::chrono::seconds answers_kept{24 * 3600};      // to requests that are repeated
  std::chrono::seconds audit_kept{30 * 24 * 3600};
  AuditOptions audit;
  const Clock* clock = nullptr;  // none: the system's
};

class Control {
 public:
  explicit Control(ControlOptions options);
  Control(const Control&) = delete;
  ~Control();

  // Loads what is needed to answer. Sessions of the last server are found again in the background,
  // where sandboxes of nobody are ended and the pool is filled.
  async::Task<Result<void>> start();
  // When is_lost(), sandboxes are left alone: the next server finds them again.
  async::Task<void> stop();
  // No sandbox can be made or ended any more, because the launcher is gone: the server must end and
  // be started again. Announced by ControlOptions::on_lost.
  bool is_lost() const { return placement_.is_lost(); }

  Sessions& sessions() { return sessions_; }
  SessionMaker& session_maker() { return session_maker_; }
  SessionEnder& session_ender() { return session_ender_; }
  SessionChanges& session_changes() { return session_changes_; }
  DefaultSandboxes& default_sandboxes() { return default_sandboxes_; }
  SessionNetwork& session_network() { return session_network_; }
  Executions& executions() { return executions_; }
  Decider& decider() { return decider_; }
  Approvals& approvals() { return approvals_; }
  Runs& runs() { return runs_; }
  TestRuns& test_runs() { return test_runs_; }
  Snapshots& snapshots() { return snapshots_; }
  Files& files() { return files_; }
  Terminals& terminals() { return terminals_; }
  KeptTerminals& kept_terminals() { return kept_terminals_; }
  Ports& ports() { return ports_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  Templates& templates() { return templates_; }
  Secrets& secrets() { return secrets_; }
  const NetworkPolicies& network_policies() const { return network_policies_; }
  Keys& keys() { return keys_; }
  Tenants& tenants() { return tenants_; }
  AccessTokens& access_tokens() { return access_tokens_; }
  const PreviewTokens& preview_tokens() const { return preview_tokens_; }
  Audit& audit() { return audit_; }
  Events& events() { return events_; }
  node::Placement& placement() { return placement_; }
  Idempotency& idempotency() { return idempotency_; }
  store::Store& store() { return *store_; }
  const Clock& clock() const { return clock_; }

 private:
  async::Task<void> watch_node(node::Node* node);
  async::Task<void> remove_old();

  Mode mode_;
  bool cleanup_on_exit_;
  std::function<void()> on_lost_;
  std::chrono::seconds results_kept_;
  std::chrono::seconds answers_kept_;
  std::chrono::seconds audit_kept_;
  SystemClock system_clock_;
  const Clock& clock_;
  std::unique_ptr<store::Store> store_;
  node::Placement placement_;
  Audit audit_;
  Events events_;
  Tenants tenants_;
  Templates templates_;
  Keys keys_;
  PreviewTokens preview_tokens_;
  Workspaces workspaces_;
  SnapshotFiles snapshot_files_;
  NetworkPolicies network_policies_;
  std::unique_ptr<node::Networks> networks_;
  SessionShared session_shared_;
  Sessions sessions_;
  AccessTokens access_tokens_;
  Secrets secrets_;
  WorkspaceCopies workspace_copies_;
  SessionEnder session_ender_;
  SessionMaker session_maker_;
  DefaultSandboxes default_sandboxes_;
  SessionChanges session_changes_;
  SessionNetwork session_network_;
  SessionWatch session_watch_;
  Decider decider_;
  Approvals approvals_;
  Executions executions_;
  Runs runs_;
  TestRuns test_runs_;
  Snapshots snapshots_;
  Files files_;
  Terminals terminals_;
  KeptTerminals kept_terminals_;
  Ports ports_;
  Diagnostics diagnostics_;
  Recovery recovery_;
  Idempotency idempotency_;
  async::TaskGroup tasks_;
};

}  // namespace atl::control
