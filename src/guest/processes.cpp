// kProcesses: what runs in the sandbox, read from its /proc, without the guest and the interpreter
// that waits for something to run.
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "guest/connection.hpp"
#include "guest/operations.hpp"
#include "guest/server.hpp"
#include "guest/walker.hpp"

namespace atl::guest {
namespace {

constexpr int kSlice = 64;
constexpr std::size_t kMaxCommand = 4096;

std::string read_small(int dir, const std::string& path) {
  std::string text(kMaxCommand, '\0');
  UniqueFd file(::openat(dir, path.c_str(), O_RDONLY | O_CLOEXEC));
  ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

std::optional<ProcessInfo> describe(int proc, const std::string& pid) {
  std::string stat = read_small(proc, pid + "/stat");
  // "7 (name) S 1 …": the name may hold anything, its end is the last parenthesis.
  std::size_t open = stat.find('(');
  std::size_t close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  ProcessInfo info;
  unsigned long user = 0;
  unsigned long system = 0;
  long pages = 0;
  int fields = ::sscanf(
      stat.c_str() + close + 1,
      " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %*u %*u %ld",
      &info.state, &info.parent, &user, &system, &pages);
  if (fields != 5) return std::nullopt;
  info.pid = ::atoi(pid.c_str());
  info.rss_bytes = static_cast<std::uint64_t>(std::max(pages, 0L)) *
                   static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  info.cpu_ms = (user + system) * 1000 / static_cast<unsigned long>(::sysconf(_SC_CLK_TCK));
  info.command = read_small(proc, pid + "/cmdline");
  while (!info.command.empty() && info.command.back() == '\0') info.command.pop_back();
  std::replace(info.command.begin(), info.command.end(), '\0', ' ');
  if (info.command.empty()) info.command = "[" + stat.substr(open + 1, close - open - 1) + "]";
  return info;
}

class ProcessesChannel final : public RecordChannel {
 public:
  ProcessesChannel(Connection& connection, std::uint32_t id, UniqueFd proc)
      : RecordChannel(connection, id), walker_(std::move(proc), 1) {
    reply({});
    schedule();
  }

 private:
  More more(std::string& out) override {
    for (int i = 0; i < kSlice; ++i) {
      Walker::Step step = walker_.next();
      if (step.kind == Walker::Step::kEnd) return More::kEnd;
      if (::isdigit(static_cast<unsigned char>(step.name[0])) == 0) continue;
      auto info = describe(step.dir, step.name);
      if (info && info->pid != ::getpid() && info->pid != server().parked().pid(0)) {
        add(out, *info);
      }
    }
    return More::kYes;
  }

  Walker walker_;
};

}  // namespace

ChannelPtr open_processes(Connection& connection, std::uint32_t id) {
  UniqueFd proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!proc) {
    connection.answer(id, fail_errno("Opening /proc"));
    return nullptr;
  }
  return std::make_unique<ProcessesChannel>(connection, id, std::move(proc));
}

}  // namespace atl::guest
