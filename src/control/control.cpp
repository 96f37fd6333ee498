#include "control/control.hpp"

#include <utility>

#include "observe/log.hpp"

namespace atl::control {

using async::Task;

namespace {

constexpr std::chrono::minutes kSweep{10};

}  // namespace

Control::Control(ControlOptions options)
    : mode_(options.mode),
      cleanup_on_exit_(options.cleanup_on_exit),
      on_lost_(std::move(options.on_lost)),
      results_kept_(options.results_kept),
      answers_kept_(options.answers_kept),
      audit_kept_(options.audit_kept),
      clock_(options.clock != nullptr ? *options.clock : system_clock_),
      store_(std::move(options.store)),
      placement_(std::move(options.nodes)),
      audit_(options.executor, *store_, std::move(options.audit)),
      tenants_(options.executor, *store_, clock_),
      templates_(*store_, clock_, placement_, {options.pool_size, options.package_index}),
      keys_(*store_, clock_),
      preview_tokens_(clock_),
      workspaces_(options.workspace_folder, options.quotas.workspaces, options.floor),
      snapshot_files_(options.snapshot_folder, options.floor),
      network_policies_(std::move(options.network)),
      networks_(options.networks ? std::move(options.networks) : node::no_networks()),
      session_shared_{options.executor, *store_,           clock_,      events_,
                      placement_,       tenants_,          workspaces_, options.mode,
                      options.limits,   network_policies_, *networks_},
      sessions_(session_shared_),
      access_tokens_(keys_, sessions_),
      secrets_(*store_, clock_, sessions_),
      workspace_copies_(session_shared_, sessions_),
      session_ender_(session_shared_, sessions_, workspace_copies_),
      session_maker_(session_shared_, sessions_, session_ender_,
                     {templates_, snapshot_files_, secrets_}),
      default_sandboxes_(session_shared_, sessions_, session_maker_, session_ender_),
      session_changes_(session_shared_, sessions_, workspace_copies_),
      session_network_(session_shared_, sessions_, secrets_, audit_),
      session_watch_(session_shared_, sessions_, session_ender_, session_changes_,
                     workspace_copies_),
      decider_(std::move(options.code)),
      approvals_(session_shared_, audit_, options.approvals),
      executions_(session_shared_,
                  {sessions_, workspace_copies_, session_watch_, decider_, approvals_}, audit_,
                  Journals(options.journal_folder, options.floor), options.executions),
      runs_(options.executor, session_maker_, session_ender_, executions_),
      test_runs_(options.executor,
                 {sessions_, session_maker_, session_ender_, decider_, audit_, tenants_},
                 options.executions.test_time, options.executions.longest_time),
      snapshots_(*store_, clock_, sessions_, snapshot_files_, tenants_, options.quotas.snapshots),
      files_(sessions_, audit_),
      terminals_(sessions_, audit_),
      kept_terminals_(options.executor, terminals_),
      ports_(sessions_),
      diagnostics_(sessions_, executions_, audit_),
      recovery_(session_shared_, templates_, session_maker_, session_ender_, executions_),
      idempotency_(*store_, clock_, options.answers_kept),
      tasks_(options.executor) {}

Control::~Control() = default;

Task<Result<void>> Control::start() {
  ATOLL_CO_CHECK(co_await templates_.load());
  ATOLL_CO_CHECK(co_await keys_.load());
  ATOLL_CO_CHECK(co_await tenants_.load());
  ATOLL_CO_CHECK(co_await snapshots_.load());
  ATOLL_CO_CHECK(co_await secrets_.load());
  co_await workspaces_.migrate(keys_.tenants());
  bool enabled = mode_ != Mode::kDisabled;
  if (enabled) ATOLL_CO_CHECK(co_await placement_.open());
  ATOLL_CO_CHECK(co_await recovery_.load());
  ATOLL_CO_TRY(std::vector<LiveExecutionPtr> one_shots, co_await executions_.load_waiting());
  for (LiveExecutionPtr& one : one_shots) runs_.adopt(std::move(one));
  for (const std::unique_ptr<node::Node>& node : placement_.nodes()) {
    if (enabled) tasks_.spawn(watch_node(node.get()));
  }
  networks_->start([this](const SandboxId& id, const node::NetworkRefusal& refusal) {
    session_network_.refused(id, refusal);
  });
  recovery_.start();
  tasks_.spawn(session_watch_.run_timers());
  placement_.keep_ready(templates_.list());
  tasks_.spawn(executions_.record_slow());
  tasks_.spawn(approvals_.watch());
  tasks_.spawn(remove_old());
  tasks_.spawn(audit_.write_checkpoints());
  tasks_.spawn(snapshots_.remove_forgotten());
  tasks_.spawn(keys_.watch());
  co_return Result<void>();
}

Task<void> Control::watch_node(node::Node* node) {
  co_await node->until_lost();
  if (!node->is_lost()) co_return;
  log::error("launcher_gone", log::kv("runtime_node", node->id()),
             log::kv("sessions", sessions_.live_count()));
  if (is_lost() && on_lost_) on_lost_();  // of several nodes, with the last
}

Task<void> Control::remove_old() {
  for (;;) {
    auto now = clock_.now();
    Result<std::uint64_t> gone =
        co_await store_->remove_old({.sessions_ended_before = now - results_kept_,
                                     .idempotency_before = now - answers_kept_,
                                     .audit_before = now - audit_kept_});
    if (!gone) log::warn("retention_failed", log::kv("error", gone.error().to_string()));
    co_await async::sleep_for(kSweep);
  }
}

Task<void> Control::stop() {
  placement_.stop_waiting();
  co_await tasks_.join();
  co_await kept_terminals_.shut_down();
  bool end_sandboxes = cleanup_on_exit_ && !is_lost();
  co_await recovery_.shut_down(end_sandboxes);
  co_await placement_.shut_down();
  co_await session_ender_.shut_down(end_sandboxes);
  co_await session_watch_.shut_down();
  co_await test_runs_.shut_down();
  co_await session_maker_.shut_down();
  co_await session_ender_.finish();
  co_await networks_->stop(end_sandboxes);
  co_await executions_.shut_down();
  co_await runs_.shut_down();
  co_await tenants_.shut_down();
  co_await audit_.shut_down();
  co_await store_->close();
}

}  // namespace atl::control
