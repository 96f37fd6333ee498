// Life and death of a remote sandbox.
#include "backends/opensandbox/remote_sandbox.hpp"

#include <utility>

#include "backends/opensandbox/script.hpp"
#include "observe/log.hpp"
#include "sandbox/exec_args.hpp"

namespace atl::backends::opensandbox {

using async::Task;
using sandbox::State;

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kReadyTime{60};
constexpr milliseconds kPingPause{50};
constexpr seconds kPingTime{5};
constexpr int kPingsBetweenLooks = 10;
constexpr seconds kLookEvery{10};
constexpr seconds kLookAgain{1};
constexpr int kMostRefusals = 3;

bool is_over(const Result<RemoteInfo>& info) {
  if (!info) return info.error().code() == Code::kNotFound;
  return info->state == "Terminated" || info->state == "Failed";
}

}  // namespace

void RemoteSandbox::Shared::end(std::string why) {
  state = State::kStopped;
  why_stopped = std::move(why);
  execd.reset();
  for (auto& [id, execution] : std::exchange(executions, {})) {
    execution->lose(Error(Code::kNotStarted, why_stopped));
  }
}

RemoteSandbox::RemoteSandbox(async::Executor executor, std::shared_ptr<Lifecycle> lifecycle,
                             sandbox::SandboxSpec spec)
    : executor_(executor),
      lifecycle_(std::move(lifecycle)),
      spec_(std::move(spec)),
      tasks_(std::make_shared<async::TaskGroup>(executor)) {}

RemoteSandbox::~RemoteSandbox() { tasks_->close(); }

Task<Result<void>> RemoteSandbox::start() {
  if (shared_->state != State::kCreated) {
    co_return fail(Code::kConflict, "the sandbox was started already");
  }
  Result<RemoteInfo> made = co_await lifecycle_->create(create_body(lifecycle_->settings(), spec_));
  Result<void> ready = made ? co_await make_ready(made->id) : fail(made.error());
  if (ready) co_return ready;
  shared_->end("the sandbox could not be started");
  // Who may not make one could not remove one either.
  if (!made && made.error().code() == Code::kUnauthenticated) co_return ready;
  // Also when the answer was lost and nobody knows whether there is one.
  Result<void> removed = made ? co_await lifecycle_->remove(made->id)
                              : co_await lifecycle_->remove_all_of(spec_.id.str());
  if (!removed) {
    log::warn("opensandbox_left_behind", log::kv("sandbox_id", spec_.id.str()),
              log::kv("error", removed.error().message()));
  }
  co_return ready;
}

Task<Result<void>> RemoteSandbox::make_ready(std::string remote_id) {
  ATOLL_CO_TRY(Endpoint endpoint, co_await lifecycle_->endpoint(remote_id, Execd::kPort));
  shared_->remote_id = std::move(remote_id);
  shared_->execd = std::make_shared<Execd>(executor_, lifecycle_->settings(), endpoint);
  ATOLL_CO_CHECK(co_await ping_until_ready());
  ATOLL_CO_CHECK(co_await shared_->execd->run_well("mkdir -p -m 0777 " + quote(workspace())));
  shared_->state = State::kRunning;
  tasks_->spawn(keep_alive(shared_, lifecycle_));
  co_return Result<void>();
}

// The server calls a sandbox running before its agent listens. One whose entry point has ended has
// no agent any more.
Task<Result<void>> RemoteSandbox::ping_until_ready() {
  async::Deadline deadline = async::deadline_in(kReadyTime);
  for (int look = 1;; ++look) {
    Result<void> answer =
        co_await shared_->execd->ping(std::min(deadline, async::deadline_in(kPingTime)));
    if (answer) co_return answer;
    if (look % kPingsBetweenLooks == 0) {
      Result<RemoteInfo> info = co_await lifecycle_->get(shared_->remote_id);
      if (is_over(info)) {
        co_return fail(
            Code::kBackend,
            "the sandbox ended before its agent answered: the image's entry point ended");
      }
    }
    if (std::chrono::steady_clock::now() + kPingPause >= deadline) {
      co_return fail(Code::kCreateTimeout, "the agent of the sandbox did not answer in time: " +
                                               answer.error().message());
    }
    co_await async::sleep_for(kPingPause);
  }
}

Task<Result<void>> RemoteSandbox::find_again() {
  ATOLL_CO_TRY(std::vector<RemoteInfo> found, co_await lifecycle_->find(spec_.id.str()));
  if (found.empty()) co_return fail(Code::kNotFound, "OpenSandbox knows no such sandbox");
  bool is_paused = found.front().state == "Paused";
  if (!is_paused) co_return co_await make_ready(found.front().id);
  ATOLL_CO_TRY(Endpoint endpoint, co_await lifecycle_->endpoint(found.front().id, Execd::kPort));
  shared_->remote_id = found.front().id;
  shared_->execd = std::make_shared<Execd>(executor_, lifecycle_->settings(), endpoint);
  shared_->state = State::kPaused;
  tasks_->spawn(keep_alive(shared_, lifecycle_));
  co_return Result<void>();
}

// A server that does not answer may come back: its sandboxes outlive it. One that does not know the
// sandbox any more has the last word.
Task<void> RemoteSandbox::keep_alive(std::shared_ptr<Shared> shared,
                                     std::shared_ptr<Lifecycle> lifecycle) {
  seconds between = lifecycle->settings().timeout / 3;
  async::Deadline renewal = async::deadline_in(between);
  bool silent = false;
  int refusals = 0;
  for (;;) {
    co_await async::sleep_for(refusals > 0 ? kLookAgain : std::min(between, kLookEvery));
    if (shared->state == State::kStopped) co_return;
    Result<RemoteInfo> info = co_await lifecycle->get(shared->remote_id);
    if (shared->state == State::kStopped) co_return;
    if (is_over(info)) {
      log::warn("opensandbox_sandbox_lost", log::kv("remote_id", shared->remote_id));
      shared->end("the sandbox is gone: the OpenSandbox server no longer has it");
      co_return;
    }
    if (info && silent)
      log::info("opensandbox_server_back", log::kv("remote_id", shared->remote_id));
    if (!info && !silent) {
      log::warn("opensandbox_server_silent", log::kv("remote_id", shared->remote_id),
                log::kv("error", info.error().message()));
    }
    silent = !info;
    refusals = co_await agent_refuses(shared) ? refusals + 1 : 0;
    if (refusals == kMostRefusals) {
      log::warn("opensandbox_agent_lost", log::kv("remote_id", shared->remote_id));
      shared->end("the sandbox is lost: its agent has ended");
      co_return;
    }
    if (silent || std::chrono::steady_clock::now() < renewal) continue;
    Result<void> renewed = co_await lifecycle->renew(shared->remote_id);
    if (renewed) {
      renewal = async::deadline_in(between);
    } else {
      log::warn("opensandbox_not_renewed", log::kv("remote_id", shared->remote_id),
                log::kv("error", renewed.error().message()));
    }
  }
}

// A program inside may have killed it. One that is only slow is no such case.
Task<bool> RemoteSandbox::agent_refuses(std::shared_ptr<Shared> shared) {
  std::shared_ptr<Execd> execd = shared->execd;
  if (shared->state != State::kRunning || !execd) co_return false;
  Result<void> answer = co_await execd->ping(async::deadline_in(kLookEvery));
  bool same = shared->state == State::kRunning && shared->execd == execd;
  co_return same && !answer && answer.error().code() == Code::kBackend;
}

Task<Result<void>> RemoteSandbox::stop() {
  if (shared_->state == State::kCreated) shared_->state = State::kStopped;
  if (shared_->remote_id.empty()) co_return Result<void>();
  shared_->end("the sandbox was stopped");
  ATOLL_CO_CHECK(co_await lifecycle_->remove(shared_->remote_id));
  shared_->remote_id.clear();
  co_return Result<void>();
}

sandbox::Status RemoteSandbox::status() const {
  sandbox::Status status;
  status.state = shared_->state;
  // What was asked of the server; nobody here can say what else its walls are.
  status.isolation.layers = {"memory_limit", "cpu_limit"};
  status.isolation.missing = {"pids_limit", "disk_limit", "read_only_root"};
  bool has_policy = !lifecycle_->settings().allowed_domains.empty() ||
                    !spec_.network.allowed_domains.empty() ||
                    spec_.network.allow_others.has_value();
  (has_policy ? status.isolation.layers : status.isolation.missing)
      .emplace_back("network_namespace");
  return status;
}

Result<std::shared_ptr<Execd>> RemoteSandbox::agent() const {
  if (paused()) return fail(Code::kConflict, "the sandbox is paused");
  if (shared_->state != State::kRunning) return fail(Code::kNotStarted, shared_->why_stopped);
  return shared_->execd;
}

Result<std::string> RemoteSandbox::absolute(std::string_view path) const {
  return sandbox::box_path(path, workspace());
}

Task<Result<std::string>> RemoteSandbox::tool(std::string script) {
  ATOLL_CO_TRY(std::shared_ptr<Execd> execd, agent());
  co_return co_await execd->run_well(std::move(script));
}

Task<Result<void>> RemoteSandbox::pause() {
  if (paused()) co_return Result<void>();
  ATOLL_CO_TRY(shared_->at_pause, co_await usage());
  ATOLL_CO_CHECK(co_await lifecycle_->pause(shared_->remote_id));
  async::Deadline deadline = async::deadline_in(kReadyTime);
  for (;;) {
    ATOLL_CO_TRY(RemoteInfo info, co_await lifecycle_->get(shared_->remote_id));
    if (info.state == "Paused") break;
    if (std::chrono::steady_clock::now() >= deadline) {
      co_return fail(Code::kBackend, "the sandbox was not paused in time");
    }
    co_await async::sleep_for(kPingPause);
  }
  shared_->state = State::kPaused;
  co_return Result<void>();
}

Task<Result<void>> RemoteSandbox::resume() {
  if (!paused()) {
    ATOLL_CO_CHECK(agent());
    co_return Result<void>();
  }
  ATOLL_CO_CHECK(co_await lifecycle_->resume(shared_->remote_id));
  // Its address may be another one now.
  ATOLL_CO_TRY(Endpoint endpoint, co_await lifecycle_->endpoint(shared_->remote_id, Execd::kPort));
  shared_->execd = std::make_shared<Execd>(executor_, lifecycle_->settings(), endpoint);
  ATOLL_CO_CHECK(co_await ping_until_ready());
  shared_->state = State::kRunning;
  co_return Result<void>();
}

}  // namespace atl::backends::opensandbox
