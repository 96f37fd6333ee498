#include "backends/fake/fake_sandbox.hpp"

#include <poll.h>
#include <sys/random.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "async/unix_socket.hpp"
#include "backends/fake/guest_process.hpp"
#include "backends/fake/process_tree.hpp"

namespace atl::backends::fake {

using async::Task;
namespace fs = std::filesystem;

FakeSandbox::FakeSandbox(async::Executor executor, SandboxId id, fs::path folder,
                         std::string guest_program)
    : GuestSandbox(std::move(executor), std::move(id)),
      folder_(std::move(folder)),
      guest_program_(std::move(guest_program)) {}

FakeSandbox::~FakeSandbox() { guest_.detach(); }

Task<Result<void>> FakeSandbox::start() {
  if (guest_) co_return fail(Code::kConflict, "the sandbox runs already");
  std::error_code error;
  fs::create_directories(folder_ / "workspace", error);
  if (error) co_return fail_errno("make folder", error.value());
  if (::getrandom(token_.data(), token_.size(), 0) != ssize_t{sizeof(token_)}) {
    co_return fail_errno("getrandom");
  }
  fs::remove(folder_ / "socket", error);
  ATOLL_CO_TRY(pid_, start_guest(guest_program_, folder_ / "socket", token_));
  ATOLL_CO_TRY(guest_, Child::own(pid_));
  std::ofstream(folder_ / "token", std::ios::binary)
      .write(reinterpret_cast<const char*>(token_.data()), token_.size());
  std::ofstream(folder_ / "pid") << pid_;
  co_return co_await connect_guest();
}

Result<void> FakeSandbox::find_again() {
  std::ifstream token(folder_ / "token", std::ios::binary);
  token.read(reinterpret_cast<char*>(token_.data()), token_.size());
  std::ifstream pid(folder_ / "pid");
  if (!token || !(pid >> pid_)) return fail(Code::kNotFound, "there is no such sandbox");
  ATOLL_TRY(guest_, Child::own(pid_));
  if (!is_running()) return fail(Code::kNotFound, "the sandbox has ended");
  return {};
}

Task<Result<void>> FakeSandbox::stop() {
  drop_guest();
  if (guest_) end_tree(pid_, guest_);
  guest_ = {};
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  co_return Result<void>();
}

bool FakeSandbox::is_running() const {
  if (!guest_) return false;
  pollfd entry{.fd = guest_.pidfd().get(), .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 0) == 0;  // a pidfd is readable once its process has ended
}

sandbox::Status FakeSandbox::status() const {
  sandbox::Status status;
  status.state = is_running() ? sandbox::State::kRunning : sandbox::State::kStopped;
  status.isolation.missing = {"user_namespace",    "pid_namespace", "mount_namespace",
                              "network_namespace", "memory_limit",  "cpu_limit",
                              "pids_limit",        "disk_limit"};
  return status;
}

Task<Result<sandbox::Usage>> FakeSandbox::usage() {
  ATOLL_CO_TRY(std::vector<sandbox::ProcessInfo> all, co_await processes());
  std::vector<pid_t> mine = descendants_of(pid_);
  mine.push_back(pid_);
  sandbox::Usage usage;
  for (const sandbox::ProcessInfo& one : all) {
    if (std::ranges::find(mine, one.pid) == mine.end()) continue;
    usage.cpu_seconds += static_cast<double>(one.cpu_ms) / 1000;
    usage.memory_bytes += one.rss_bytes;
    usage.pids += 1;
  }
  co_return usage;
}

Task<Result<void>> FakeSandbox::pause() {
  co_return fail(Code::kUnsupported, "this backend cannot pause a sandbox");
}

Task<Result<void>> FakeSandbox::resume() {
  co_return fail(Code::kUnsupported, "this backend cannot resume a sandbox");
}

Task<Result<sandbox::GuestLink>> FakeSandbox::open_link() {
  if (!is_running()) co_return fail(Code::kNotStarted, "the sandbox is not running");
  ATOLL_CO_TRY(UniqueFd fd, co_await async::connect_unix((folder_ / "socket").string()));
  co_return sandbox::GuestLink{
      .stream = async::Stream(executor(), std::move(fd), async::FdKind::kSocket), .token = token_};
}

}  // namespace atl::backends::fake
