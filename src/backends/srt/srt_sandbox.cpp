#include "backends/srt/srt_sandbox.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "async/child.hpp"
#include "async/deadline.hpp"
#include "backends/srt/leftovers.hpp"
#include "base/fault.hpp"
#include "base/write_all.hpp"
#include "confine/walls.hpp"
#include "sandbox/fs_policy.hpp"

namespace atl::backends::srt {

using async::Task;
using confine::Wall;
using sandbox::State;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kStartTime{60};
constexpr std::chrono::seconds kEndTime{5};

constexpr Wall kHolds[] = {Wall::kUserNs,    Wall::kPidNs,          Wall::kMountNs,
                           Wall::kNetNs,     Wall::kNoCapabilities, Wall::kNoNewPrivs,
                           Wall::kSeccomp,   Wall::kReadOnlyRoot,   Wall::kFileLimits,
                           Wall::kCleanStart};
// Those of its control group may hold.
constexpr Wall kLacks[] = {Wall::kIpcNs,       Wall::kUtsNs,      Wall::kCgroupNs,
                           Wall::kMemoryLimit, Wall::kCpuLimit,   Wall::kPidsLimit,
                           Wall::kDiskLimit,   Wall::kMaskedProc, Wall::kOwnUids};

// The policy speaks of /workspace, wherever a sandbox has it.
void use_own_workspace(std::vector<std::string>& paths, const std::string& workspace) {
  constexpr std::string_view kWorkspace = "/workspace";
  for (std::string& path : paths) {
    bool below = path == kWorkspace || path.starts_with("/workspace/");
    if (below) path.replace(0, kWorkspace.size(), workspace);
  }
}

SettingsPlan plan_of(const Host& host, const Folder& folder, const sandbox::SandboxSpec& spec) {
  SettingsPlan plan{.network = spec.network, .filesystem = spec.filesystem, .hidden = host.hidden};
  sandbox::FilesystemPolicy& policy = plan.filesystem;
  for (auto* list : {&policy.deny_read, &policy.allow_write, &policy.deny_write}) {
    use_own_workspace(*list, folder.workspace());
  }
  // In the last one is the socket to srt's proxy, to which its own socat connects; others cannot.
  plan.shown = {host.guest, host.package.folder, folder.run};
  plan.writable = {folder.workspace(), folder.tmp()};
  return plan;
}

Result<void> make_folder(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0) return fail_errno("making the sandbox's folder");
  return {};
}

Result<void> write_private(const std::string& path, const std::string& text) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file || !write_all(file.get(), text)) return fail_errno("writing the settings of srt");
  return {};
}

bool is_absent(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) != 0 && errno == ENOENT;
}

// Denied paths that do not exist, each before the folders above it: srt makes them, and may not get
// to remove them.
std::string absent(const sandbox::FilesystemPolicy& policy) {
  std::string lines;
  for (const auto* list : {&policy.deny_read, &policy.deny_write}) {
    for (const std::string& one : *list) {
      if (one.find('\n') != std::string::npos) continue;
      for (fs::path path = one; is_absent(path); path = path.parent_path()) {
        lines += path.string() + "\n";
      }
    }
  }
  return lines;
}

// What the server keeps there would be the sandboxes' to change.
Result<void> check_writable(const Host& host, const sandbox::FilesystemPolicy& policy) {
  std::error_code ignored;
  if (host.data_folder.empty()) return {};
  std::string data = fs::weakly_canonical(host.data_folder, ignored).string();
  for (const std::string& path : policy.allow_write) {
    if (path == "/workspace" || path.starts_with("/workspace/")) continue;  // the sandbox's own
    std::string real = fs::weakly_canonical(path, ignored).string();
    if (real != data && !sandbox::is_below(real, data) && !sandbox::is_below(data, real)) continue;
    return fail(Code::kPolicyUnsupported, "the file system rule " + path +
                                              " cannot be enforced by srt: it would open the "
                                              "server's data folder");
  }
  return {};
}

Result<Started> build(const Host& host, const Folder& folder, const sandbox::SandboxSpec& spec) {
  ATOLL_CHECK(check_writable(host, spec.filesystem));
  SettingsPlan plan = plan_of(host, folder, spec);
  ATOLL_TRY(std::string settings, settings_text(host.base_settings, plan));
  ATOLL_CHECK(make_folder(folder.path, 0700));
  fault::here("sandbox.token");
  ATOLL_CHECK(make_folder(folder.workspace(), 0755));
  ATOLL_CHECK(make_folder(folder.tmp(), 0755));
  ATOLL_CHECK(make_folder(folder.run, 0700));
  ATOLL_CHECK(write_private(folder.ghosts(), absent(plan.filesystem)));
  ATOLL_CHECK(write_private(folder.settings(), settings));
  return start_srt({.package = host.package,
                    .folder = folder,
                    .guest = host.guest,
                    .data_bytes = Cgroup::is_there() ? 0 : spec.limits.memory_bytes,
                    .open_files = spec.limits.open_files});
}

// Memory has a second line: without a group the data of each program is limited.
Result<void> check_asked(const sandbox::AskedLimits& asked, const Cgroup& cgroup) {
  const char* limit = asked.cpus && !cgroup.holds(Cgroup::kCpu)    ? "cpu"
                      : asked.pids && !cgroup.holds(Cgroup::kPids) ? "pids"
                      : asked.disk                                 ? "disk"
                                                                   : nullptr;
  if (limit == nullptr) return {};
  return fail(Code::kLimitUnenforceable, std::string("behind srt this host cannot enforce the ") +
                                             limit + " limit that was asked for");
}

bool is_held(Wall wall, const Cgroup& cgroup) {
  switch (wall) {
    case Wall::kMemoryLimit: return cgroup.holds(Cgroup::kMemory);
    case Wall::kCpuLimit: return cgroup.holds(Cgroup::kCpu);
    case Wall::kPidsLimit: return cgroup.holds(Cgroup::kPids);
    default: return false;
  }
}

}  // namespace

Folder Host::folder_of(const SandboxId& id) const {
  std::string path = folder + "/" + id.str();
  std::string run = short_folder.empty() ? path + "/r" : short_folder + "/" + id.str();
  return {.path = std::move(path), .run = std::move(run)};
}

Result<void> end_sandbox(const Folder& folder, std::chrono::milliseconds grace) {
  ATOLL_CHECK(end_processes(folder.path, grace));
  std::vector<std::string> ghosts;
  std::ifstream list(folder.ghosts());
  for (std::string line; std::getline(list, line);) ghosts.push_back(line);
  remove_ghosts(ghosts);
  ATOLL_CHECK(Cgroup::of(SandboxId(fs::path(folder.path).filename().string())).remove());
  ATOLL_CHECK(remove_tree(folder.run));
  return remove_tree(folder.path);
}

SrtSandbox::SrtSandbox(async::Executor executor, std::shared_ptr<Host> host,
                       sandbox::SandboxSpec spec)
    : GuestSandbox(std::move(executor), spec.id),
      host_(std::move(host)),
      spec_(std::move(spec)),
      folder_(host_->folder_of(id())) {}

// The end of the stream is the end of the guest, and srt tidies up behind it: better than a kill.
SrtSandbox::~SrtSandbox() { srt_.child.detach(); }

std::vector<std::string> SrtSandbox::writable_folders() const {
  return {folder_.workspace(), folder_.tmp()};
}

Task<Result<void>> SrtSandbox::start() {
  if (state_ != State::kCreated) co_return fail(Code::kConflict, "the sandbox was started before");
  const Host* host = host_.get();
  auto job = [host, folder = folder_, spec = &spec_] { return build(*host, folder, *spec); };
  Result<Started> started = co_await async::on_pool(host_->pool, std::move(job));
  fault::here("sandbox.made");
  state_ = State::kRunning;  // there may be a folder from here on
  Result<void> ready = started ? Result<void>() : fail(started.error());
  if (ready) {
    srt_ = std::move(*started);
    ready = co_await wait_for_guest();
  }
  if (ready) ready = co_await limit_guest();
  if (ready) co_return ready;
  Result<void> stopped = co_await stop();
  co_return stopped ? ready : stopped;
}

Task<Result<void>> SrtSandbox::wait_for_guest() {
  Result<void> answered =
      co_await async::with_deadline(ping(), async::deadline_in(kStartTime), Code::kCreateTimeout,
                                    "srt did not start the guest in time");
  if (answered || answered.error().code() == Code::kCreateTimeout) co_return answered;
  // The stream ended: srt is ending, or its guest is. What it says comes before its end.
  co_await end_srt();
  co_return fail(Code::kBackend, "srt did not start the sandbox: " + last_words(folder_.log()));
}

// Before it runs anything: whatever it starts is in the group with it.
Task<Result<void>> SrtSandbox::limit_guest() {
  auto job = [group = Cgroup::of(id()), limits = spec_.limits, srt = srt_.pid]() mutable {
    if (!Cgroup::is_there()) return group;
    group.make(limits);
    if (pid_t guest = find_guest(srt)) group.take(guest);
    return group;
  };
  cgroup_ = co_await async::on_pool(host_->pool, std::move(job));
  co_return check_asked(spec_.asked, cgroup_);
}

// Waits for srt to end by itself, as it does without its stream.
Task<void> SrtSandbox::end_srt() {
  if (!srt_.child) co_return;
  Result<ChildExit> ended =
      co_await async::with_deadline(async::wait_child(srt_.child), async::deadline_in(kEndTime),
                                    Code::kExecTimeout, "srt does not end");
  if (ended || !srt_.child) co_return;
  (void)srt_.child.kill(SIGKILL);
  (void)co_await async::with_deadline(async::wait_child(srt_.child), async::deadline_in(kEndTime),
                                      Code::kExecTimeout, "srt does not end");
}

Task<Result<void>> SrtSandbox::stop() {
  if (state_ == State::kCreated) co_return Result<void>();
  state_ = State::kStopped;
  drop_guest();
  srt_.stream.reset();
  co_await end_srt();
  // What srt has left behind now it has left for good.
  auto job = [folder = folder_] { return end_sandbox(folder, std::chrono::milliseconds(0)); };
  co_return co_await async::on_pool(host_->pool, std::move(job));
}

bool SrtSandbox::is_running() const {
  if (state_ != State::kRunning || !srt_.child) return false;
  pollfd entry{.fd = srt_.child.pidfd().get(), .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 0) == 0;  // a pidfd is readable once its process has ended
}

sandbox::Status SrtSandbox::status() const {
  sandbox::Status status;
  bool lost = state_ == State::kRunning && !is_running();
  status.state = lost ? State::kStopped : state_;
  for (Wall wall : kHolds) status.isolation.layers.emplace_back(confine::wall_name(wall));
  for (Wall wall : kLacks) {
    bool held = is_held(wall, cgroup_);
    auto& list = held ? status.isolation.layers : status.isolation.missing;
    list.emplace_back(confine::wall_name(wall));
  }
  return status;
}

Task<Result<sandbox::GuestLink>> SrtSandbox::open_link() {
  if (!is_running() || !srt_.stream) {
    co_return fail(Code::kNotStarted, "the sandbox is not running");
  }
  async::Stream stream(executor(), std::move(srt_.stream), async::FdKind::kSocket);
  co_return sandbox::GuestLink{std::move(stream), {}, std::nullopt};
}

Task<Result<std::unique_ptr<sandbox::Process>>> SrtSandbox::spawn(sandbox::ExecRequest request) {
  request.env.try_emplace("TMPDIR", folder_.tmp());
  return GuestSandbox::spawn(std::move(request));
}

// Without a group, of what runs now: there is nothing that would remember the rest.
Task<Result<sandbox::Usage>> SrtSandbox::usage() {
  if (!is_running()) co_return fail(Code::kNotStarted, "the sandbox is not running");
  if (cgroup_.holds(Cgroup::kMemory)) {
    sandbox::Usage figures = cgroup_.usage();
    figures.memory_limit_bytes = spec_.limits.memory_bytes;
    co_return figures;
  }
  ATOLL_CO_TRY(std::vector<sandbox::ProcessInfo> all, co_await processes());
  sandbox::Usage usage{.memory_limit_bytes = spec_.limits.memory_bytes};
  for (const sandbox::ProcessInfo& one : all) {
    usage.cpu_seconds += static_cast<double>(one.cpu_ms) / 1000;
    usage.memory_bytes += one.rss_bytes;
    usage.pids += 1;
  }
  co_return usage;
}

Task<bool> SrtSandbox::was_out_of_memory() {
  std::uint64_t kills = cgroup_.holds(Cgroup::kMemory) ? cgroup_.usage().oom_kills : 0;
  co_return std::exchange(oom_kills_seen_, kills) < kills;
}

Task<Result<void>> SrtSandbox::change_limits(sandbox::Limits limits) {
  if (!is_running()) co_return fail(Code::kNotStarted, "the sandbox is not running");
  if (!cgroup_.holds(Cgroup::kMemory)) {
    co_return fail(Code::kUnsupported, "this sandbox has no control group; start Atoll as root");
  }
  cgroup_.set_limits(limits);
  spec_.limits.memory_bytes = limits.memory_bytes;
  spec_.limits.cpus = limits.cpus;
  spec_.limits.pids = limits.pids;
  co_return Result<void>();
}

Task<Result<void>> SrtSandbox::pause() {
  co_return fail(Code::kUnsupported, "srt cannot pause a sandbox");
}

Task<Result<void>> SrtSandbox::resume() {
  co_return fail(Code::kUnsupported, "srt cannot resume a sandbox");
}

}  // namespace atl::backends::srt
