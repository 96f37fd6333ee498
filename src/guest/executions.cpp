#include "guest/executions.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "guest/server.hpp"

namespace atl::guest {
namespace {
constexpr std::size_t kMaxRunning = 256;
constexpr std::size_t kMaxEnded = 64;
constexpr std::size_t kMaxKeptBytes = 16 * kWindow;
}  // namespace

Result<Execution*> Executions::start(const ExecArgs& args) {
  if (running() >= kMaxRunning) {
    return fail(Code::kResourceExhausted, "256 executions are running in this sandbox already.");
  }
  ATOLL_TRY(Spawned spawned, spawn(server_, args));
  std::uint64_t id = next_id_++;
  auto [entry, _] =
      table_.emplace(id, std::make_unique<Execution>(server_.loop(), id, args, std::move(spawned)));
  return entry->second.get();
}

std::size_t Executions::running() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(table_, [](const auto& item) { return item.second->running(); }));
}

Execution* Executions::find(std::uint64_t id) {
  auto found = table_.find(id);
  return found == table_.end() ? nullptr : found->second.get();
}

void Executions::reap() {
  for (;;) {
    siginfo_t info{};
    // Looks first and takes later: the status of an execution is collected with its usage figures.
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    auto ended = std::ranges::find_if(table_, [&](const auto& item) {
      return item.second->running() && item.second->pid() == info.si_pid;
    });
    // What a context's code has started goes with its interpreter, whose group has a name only as
    // long as it is not collected.
    if (ended != table_.end() && ended->second->has_control()) ::kill(-info.si_pid, SIGKILL);
    int status = 0;
    rusage usage{};
    if (::wait4(info.si_pid, &status, WNOHANG, &usage) != info.si_pid) return;
    if (ended == table_.end()) continue;
    ended->second->ended(status, usage);
  }
}

std::uint64_t Executions::expire(std::uint64_t now_ns) {
  std::uint64_t next = UINT64_MAX;
  for (auto& [id, execution] : table_) {
    next = std::min(next, execution->expire(now_ns));
  }
  return next;
}

void Executions::trim() {
  std::size_t ended = 0;
  std::size_t held = 0;
  std::size_t bytes = 0;
  for (auto it = table_.rbegin(); it != table_.rend(); ++it) {  // the youngest stay
    Execution& execution = *it->second;
    if (execution.running() || execution.attached()) continue;
    // While somebody holds its pipes the record is needed to drain them.
    if (execution.pipes_open() && ++held <= kMaxRunning) continue;
    bytes += execution.kept_bytes();
    if (++ended > kMaxEnded || bytes > kMaxKeptBytes) it->second.reset();
  }
  std::erase_if(table_, [](const auto& item) { return item.second == nullptr; });
}

void Executions::late_credit(std::uint32_t channel, std::uint8_t stream, std::size_t bytes) {
  for (auto& [id, execution] : table_) {
    if (!execution->delivered_on(server_.connection_serial()) || execution->attached()) continue;
    if (execution->delivered_channel() == channel) execution->output(stream).acknowledge(bytes);
  }
}

void Executions::kill_all() {
  for (auto& [id, execution] : table_) {
    execution->kill_group();
  }
}

}  // namespace atl::guest
