#include "guest/server.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace atl::guest {
namespace {

constexpr std::size_t kMaxStrangers = 4;
constexpr std::uint64_t kHelloTime = 5'000'000'000;  // ns
constexpr std::uint64_t kQuietTime = 1'000'000'000;  // ns

std::uint64_t read_clock(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// Orphans come to us (PR_SET_CHILD_SUBREAPER), so children of children are found in a later turn.
void kill_children() {
  std::string path = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  for (int turn = 0; turn < 1000; ++turn) {
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    char list[4096];
    ssize_t size = file ? ::read(file.get(), list, sizeof list - 1) : 0;
    list[std::max<ssize_t>(size, 0)] = '\0';
    for (char* at = list; *at != '\0';) {
      char* end = at;
      long pid = ::strtol(at, &end, 10);
      if (end == at) break;
      at = end;
      if (pid > 1) ::kill(static_cast<pid_t>(pid), SIGKILL);
    }
    if (size <= 0 || ::waitpid(-1, nullptr, 0) < 0) return;
  }
}

}  // namespace

std::uint64_t now_ns() { return read_clock(CLOCK_MONOTONIC); }

Server::Server(const GuestConfig& config, std::vector<int> task_fds, int null_fd)
    : config_(config),
      task_fds_(std::move(task_fds)),
      null_fd_(null_fd),
      boot_id_(read_clock(CLOCK_REALTIME)) {
  open_signals();
}

void Server::set_environment(const char* const* variables) {
  // Not what the shells on the way here said of themselves.
  constexpr std::string_view kOfShells[] = {"PWD=", "OLDPWD=", "SHLVL=", "_="};
  for (; *variables != nullptr; ++variables) {
    std::string_view text = *variables;
    bool of_shell = std::any_of(std::begin(kOfShells), std::end(kOfShells),
                                [&](std::string_view name) { return text.starts_with(name); });
    if (!of_shell) environment_.emplace_back(text);
  }
}

void Server::open_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGTERM);
  signals_.fd.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  // Blocked instead of ignored: children start with every disposition as it was.
  sigaddset(&set, SIGPIPE);
  ::sigprocmask(SIG_SETMASK, &set, nullptr);
  loop_.add(signals_.fd.get(), EPOLLIN, signals_);
}

void Server::Signals::on_events(std::uint32_t) {
  signalfd_siginfo info[8];
  ssize_t size = ::read(fd.get(), info, sizeof info);
  for (std::size_t i = 0; size > 0 && i < static_cast<std::size_t>(size) / sizeof info[0]; ++i) {
    // To a pid 1, pid 0 is somebody outside the sandbox. Inside, nobody may end it.
    if (info[i].ssi_signo == SIGTERM && (info[i].ssi_pid == 0 || ::getpid() != 1)) {
      server.stopping_ = true;
    }
  }
  server.executions_.reap();
}

void Server::listen(UniqueFd socket, bool once) {
  single_stream_ = once;
  listener_ = std::move(socket);
  loop_.add(listener_.get(), EPOLLIN, *this);
  on_events(0);  // the host may be here already
}

void Server::serve(UniqueFd in, UniqueFd out) {
  single_stream_ = true;
  connections_.emplace_back(*this, std::move(in), std::move(out), UINT64_MAX);
}

void Server::on_events(std::uint32_t) {
  UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd) return;
  auto strangers = std::count_if(connections_.begin(), connections_.end(), [](const Connection& c) {
    return !c.authenticated() && !c.closed();
  });
  if (static_cast<std::size_t>(strangers) >= kMaxStrangers) return;
  Connection& connection =
      connections_.emplace_back(*this, std::move(fd), UniqueFd(), now_ns() + kHelloTime);
  connection.on_events(EPOLLIN);  // its hello and first request have often arrived together with it
}

void Server::authenticated(Connection& connection) {
  ++serial_;
  for (Connection& other : connections_) {
    if (&other != &connection && other.authenticated()) other.close();
  }
}

// Asks for the next interpreter when nothing has run for a moment: most sandboxes run one program,
// and end. Returns when to ask again.
std::uint64_t Server::refill(std::uint64_t now_ns) {
  bool wanted = zygote_ && !parked_.asked_for() && executions_.running() == 0;
  if (!wanted || quiet_since_ns_ == 0) quiet_since_ns_ = wanted ? now_ns : 0;
  if (!wanted) return UINT64_MAX;
  if (now_ns < quiet_since_ns_ + kQuietTime) return quiet_since_ns_ + kQuietTime;
  parked_.ask_for(*this, 'l');
  quiet_since_ns_ = 0;
  return UINT64_MAX;
}

int Server::timeout_ms() {
  std::uint64_t next = UINT64_MAX;
  std::uint64_t now = now_ns();
  next = std::min(executions_.expire(now), refill(now));
  for (Connection& connection : connections_) {
    if (connection.busy() || connection.closed()) return 0;
    if (connection.authenticated()) continue;
    if (connection.hello_deadline() <= now) connection.close();
    next = std::min(next, connection.hello_deadline());
  }
  if (next == UINT64_MAX) return -1;
  // Rounded up, so that the loop does not spin through the last millisecond.
  return static_cast<int>(
      std::min<std::uint64_t>((next - std::min(now, next)) / 1'000'000 + 1, 60'000));
}

void Server::drop_closed() {
  std::size_t before = connections_.size();
  connections_.remove_if([](const Connection& connection) { return connection.closed(); });
  if (single_stream_ && connections_.size() < before) stopping_ = true;
}

int Server::run() {
  if (zygote_) parked_.ask_for(*this, 'x');
  while (!stopping_) {
    drop_closed();  // first: what an old host left behind is gone before the new one hears anything
    for (Connection& connection : connections_) connection.flush();
    executions_.trim();
    if (!stopping_) loop_.wait(timeout_ms());
  }
  executions_.kill_all();
  if (::getpid() != 1) kill_children();  // the end of a pid 1 is the end of everybody
  return 0;
}

}  // namespace atl::guest
