#include "backends/native/native_sandbox.hpp"

#include <sys/socket.h>

#include <utility>

#include "async/unix_socket.hpp"
#include "backends/native/create_request.hpp"
#include "backends/native/zygotes.hpp"
#include "base/fault.hpp"
#include "confine/walls.hpp"
#include "sandbox/heap_options.hpp"

namespace atl::backends::native {

using async::Task;
using engine::LauncherOp;
using sandbox::State;

NativeSandbox::NativeSandbox(async::Executor executor, std::shared_ptr<LauncherClient> launcher,
                             sandbox::Tokens tokens, std::string run_folder, bool once,
                             sandbox::SandboxSpec spec)
    : GuestSandbox(std::move(executor), spec.id),
      launcher_(std::move(launcher)),
      tokens_(std::move(tokens)),
      run_folder_(std::move(run_folder)),
      once_(once),
      spec_(std::move(spec)) {}

NativeSandbox::NativeSandbox(async::Executor executor, std::shared_ptr<LauncherClient> launcher,
                             sandbox::Tokens tokens, std::string run_folder, SandboxId id,
                             guest::Token token, std::uint32_t walls)
    : GuestSandbox(std::move(executor), id),
      launcher_(std::move(launcher)),
      tokens_(std::move(tokens)),
      run_folder_(std::move(run_folder)),
      token_(token),
      walls_(walls),
      state_(State::kRunning) {}

void NativeSandbox::set_defaults(std::map<std::string, std::string> env, std::string cwd) {
  env_ = std::move(env);
  cwd_ = std::move(cwd);
}

Task<Result<std::unique_ptr<sandbox::Process>>> NativeSandbox::spawn(sandbox::ExecRequest request) {
  request.env.insert(env_.begin(), env_.end());
  if ((walls_ & static_cast<std::uint32_t>(confine::Wall::kMemoryLimit)) != 0) {
    request.env.merge(sandbox::heap_options(spec_.limits.memory_bytes));
  }
  if (request.cwd.empty()) request.cwd = cwd_;
  return GuestSandbox::spawn(std::move(request));
}

Task<Result<void>> NativeSandbox::start() {
  if (state_ != State::kCreated) co_return fail(Code::kConflict, "the sandbox was started before");
  ATOLL_CO_TRY(token_, tokens_.make(id()));
  fault::here("sandbox.token");
  ATOLL_CO_TRY(engine::CreateRequest request, create_request(spec_, token_));
  std::vector<int> descriptors;
  for (const sandbox::Mount& mount : spec_.mounts) descriptors.push_back(mount.source.get());
  for (const UniqueFd& layer : spec_.layers) descriptors.push_back(layer.get());
  UniqueFd guest_end;
  if (once_) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
      co_return fail_errno("socketpair");
    }
    connection_.reset(ends[0]);
    guest_end.reset(ends[1]);
    request.connected = 1;
    descriptors.push_back(guest_end.get());
  }
  if (spec_.preload) co_await meet_zygote(launcher_, *spec_.preload);
  Result<engine::LauncherReply> reply = co_await launcher_->create(request, std::move(descriptors));
  fault::here("sandbox.made");
  if (!reply) {
    tokens_.forget(id());
    co_return fail(std::move(reply).error());
  }
  walls_ = reply->walls;
  has_zygote_ = reply->zygote != 0;
  state_ = State::kRunning;
  spec_.mounts.clear();
  if (spec_.preload && !has_zygote_) miss_zygote(*launcher_, *spec_.preload);
  // For whoever comes next; a sandbox without one works all the same.
  if (spec_.preload && spec_.preload->leave_one && !has_zygote_) {
    (void)leave_zygote(*launcher_, *spec_.preload);
  }
  if (Result<void> held = check_asked_limits(spec_.asked, walls_); !held) {
    Result<void> stopped = co_await stop();
    co_return stopped ? fail(std::move(held).error()) : fail(std::move(stopped).error());
  }
  co_return Result<void>();
}

Task<Result<void>> NativeSandbox::stop() {
  if (state_ == State::kCreated) co_return Result<void>();
  if (state_ == State::kStopped) {  // by itself, perhaps
    tokens_.forget(id());
    co_return Result<void>();
  }
  drop_guest();
  if (once_) {
    state_ = State::kStopped;
    co_return launcher_->post(LauncherOp::kDestroy, id());
  }
  Result<engine::LauncherReply> reply = co_await launcher_->call(LauncherOp::kDestroy, id());
  // Gone already is as good as gone now.
  if (!reply && reply.error().code() != Code::kNotFound) co_return fail(std::move(reply).error());
  state_ = State::kStopped;
  tokens_.forget(id());
  co_return Result<void>();
}

bool NativeSandbox::is_running() const {
  return state_ == State::kRunning || state_ == State::kPaused;
}

sandbox::Status NativeSandbox::status() const {
  return {state_, isolation_of(walls_), has_zygote_};
}

Task<Result<sandbox::GuestLink>> NativeSandbox::open_link() {
  if (state_ == State::kPaused) co_return fail(Code::kConflict, "the sandbox is paused");
  if (state_ != State::kRunning) co_return fail(Code::kNotStarted, "the sandbox is not running");
  Result<UniqueFd> socket = std::move(connection_);
  if (!once_) socket = co_await async::connect_unix(run_folder_ + "/" + id().str() + ".sock");
  if (!socket && !async::is_nobody_there(socket.error())) co_return fail(socket.error());
  if (!socket || !*socket) {
    state_ = State::kStopped;
    int error = socket ? 0 : socket.error().errno_value();
    co_return fail(Error(Code::kNotStarted, "the sandbox is gone", error));
  }
  async::Stream stream(executor(), std::move(*socket), async::FdKind::kSocket);
  co_return sandbox::GuestLink{std::move(stream), token_, std::nullopt};
}

Task<Result<sandbox::Usage>> NativeSandbox::usage() {
  if (!is_running()) co_return fail(Code::kNotStarted, "the sandbox is not running");
  ATOLL_CO_TRY(engine::LauncherReply reply, co_await launcher_->call(LauncherOp::kUsage, id()));
  const engine::UsageFigures& figures = reply.usage;
  co_return sandbox::Usage{.cpu_seconds = static_cast<double>(figures.cpu_ns) / 1e9,
                           .memory_bytes = figures.memory_bytes,
                           .memory_peak_bytes = figures.memory_peak_bytes,
                           .memory_limit_bytes = spec_.limits.memory_bytes,
                           .pids = figures.pids,
                           .oom_kills = figures.oom_kills,
                           .disk_bytes = figures.disk_bytes};
}

Task<bool> NativeSandbox::was_out_of_memory() {
  Result<engine::LauncherReply> reply = co_await launcher_->call(LauncherOp::kUsage, id());
  if (!reply) co_return false;
  co_return std::exchange(oom_kills_seen_, reply->usage.oom_kills) < reply->usage.oom_kills;
}

Task<Result<void>> NativeSandbox::freeze(bool frozen) {
  if (!is_running()) co_return fail(Code::kNotStarted, "the sandbox is not running");
  Result<engine::LauncherReply> reply =
      co_await (frozen ? launcher_->pause(id()) : launcher_->call(LauncherOp::kThaw, id()));
  if (!reply) {
    // Rootless there is no freezer to write to.
    bool missing = reply.error().errno_value() == EOPNOTSUPP;
    co_return missing ? fail(Code::kUnsupported, "pausing needs a freezer cgroup; run as root")
                      : fail(std::move(reply).error());
  }
  state_ = frozen ? State::kPaused : State::kRunning;
  co_return Result<void>();
}

Task<Result<void>> NativeSandbox::change_limits(sandbox::Limits limits) {
  if (!is_running()) co_return fail(Code::kNotStarted, "the sandbox is not running");
  ATOLL_CO_CHECK(co_await launcher_->set_limits(id(), engine_limits(limits)));
  spec_.limits.memory_bytes = limits.memory_bytes;
  spec_.limits.cpus = limits.cpus;
  spec_.limits.pids = limits.pids;
  co_return Result<void>();
}

Task<Result<sandbox::EgressSockets>> NativeSandbox::open_egress() {
  if (!is_running()) co_return fail(Code::kNotStarted, "the sandbox is not running");
  ATOLL_CO_TRY(std::vector<UniqueFd> sockets, co_await launcher_->open_egress(id()));
  walls_ |= engine::kEgressOpen;
  co_return sandbox::EgressSockets{.listener = std::move(sockets[0]), .dns = std::move(sockets[1])};
}

Task<Result<void>> NativeSandbox::pause() { return freeze(true); }
Task<Result<void>> NativeSandbox::resume() { return freeze(false); }

}  // namespace atl::backends::native
