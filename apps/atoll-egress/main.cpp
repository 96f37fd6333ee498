// atoll-egress: the way out of sandboxes (docs/adr/0043-egress.md). This process gives up all
// powers, then does nothing but start a worker, and another one whenever it dies. As a starter
// (docs/adr/0049-egress-starter.md) it starts such processes.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/raw_log.hpp"
#include "base/unique_fd.hpp"
#include "egress/cleansing_memory.hpp"
#include "egress/posture.hpp"
#include "egress/worker.hpp"

namespace {

using namespace atl;
using namespace std::chrono_literals;

constexpr int kCrashed = 1, kUsage = 2;

int usage() {
  constexpr std::string_view kText =
      "usage: atoll-egress --control-fd N --client-uid UID [--once] [--idle-seconds N]\n"
      "       atoll-egress --starter-fd N --client-uid UID [--idle-seconds N]\n"
      "\n"
      "Relays connections of sandboxes. Started by Atoll with a listening Unix socket, over which\n"
      "clients with that uid attach sandboxes. See docs/adr/0043-egress.md.\n";
  (void)!::write(2, kText.data(), kText.size());
  return kUsage;
}

template <typename Number>
bool read_number(const char* text, Number& into) {
  if (text == nullptr) return false;
  std::string_view digits(text);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), into);
  return error == std::errc() && end == digits.data() + digits.size();
}

struct Options : egress::WorkerOptions {
  int starter = -1;  // a socket that says when to start one
};

std::optional<Options> parse(char** words) {
  Options options;
  bool has_uid = false;
  for (; *words != nullptr; ++words) {
    std::string_view word(*words);
    long seconds = 0;
    if (word == "--once") {
      options.once = true;
    } else if (word == "--control-fd") {
      if (!read_number(*++words, options.control) || options.control < 3) return std::nullopt;
    } else if (word == "--starter-fd") {
      if (!read_number(*++words, options.starter) || options.starter < 3) return std::nullopt;
    } else if (word == "--client-uid") {
      has_uid = read_number(*++words, options.client_uid);
      if (!has_uid) return std::nullopt;
    } else if (word == "--idle-seconds") {
      if (!read_number(*++words, seconds) || seconds < 1 || seconds > 86'400) return std::nullopt;
      options.idle = std::chrono::seconds(seconds);
    } else {
      return std::nullopt;
    }
  }
  if ((options.control < 0) == (options.starter < 0) || !has_uid) return std::nullopt;
  return options;
}

// Nothing where there is no such file.
std::string read_file(const char* path, std::size_t most) {
  std::string text;
  UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  char buffer[16 * 1024];
  while (file && text.size() < most) {
    ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

// Whom this host trusts: the first bundle of those that distributions have.
std::string read_roots() {
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    std::string text = read_file(path, 4 << 20);
    if (!text.empty()) return text;
  }
  return {};
}

int work(const egress::WorkerOptions& options, pid_t parent) {
  // A relay whose parent is gone would not be started again, so it does not stay.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || ::getppid() != parent) return kCrashed;
  try {
    Result<int> code = egress::run_worker(options);
    if (code) return *code;
    raw_log("atoll-egress: ", code.error().to_string());
  } catch (const std::exception& bug) {
    raw_log("atoll-egress: ", bug.what());
  }
  return kCrashed;
}

int run_workers(const egress::WorkerOptions& options) {
  for (;;) {
    auto began = std::chrono::steady_clock::now();
    pid_t parent = ::getpid();
    pid_t worker = ::fork();
    if (worker == 0) ::_exit(work(options, parent));
    int status = 0;
    while (worker > 0 && ::waitpid(worker, &status, 0) < 0 && errno == EINTR) {
    }
    if (worker > 0 && WIFEXITED(status) && WEXITSTATUS(status) == egress::kToldToEnd) return 0;
    raw_log("atoll-egress: the worker has ended unexpectedly; starting another one");
    if (std::chrono::steady_clock::now() - began < 1s) std::this_thread::sleep_for(200ms);
  }
}

int run(egress::WorkerOptions options) {
  egress::close_others(options.control);
  options.resolv_conf = read_file("/etc/resolv.conf", 64 * 1024);
  options.roots = read_roots();
  ::signal(SIGPIPE, SIG_IGN);
  Result<egress::Bounds> bounds = egress::confine_parent();
  if (!bounds) {
    raw_log("atoll-egress: ", bounds.error().to_string());
    return kCrashed;
  }
  options.bounds = *bounds;
  return run_workers(options);
}

// The one kind of descriptor that a relay is started for.
bool is_unix_listener(const UniqueFd& socket) {
  auto is = [&](int option, int expected) {
    int value = -1;
    socklen_t size = sizeof value;
    return ::getsockopt(socket.get(), SOL_SOCKET, option, &value, &size) == 0 && value == expected;
  };
  return is(SO_DOMAIN, AF_UNIX) && is(SO_TYPE, SOCK_STREAM) && is(SO_ACCEPTCONN, 1);
}

// The listening socket of the next one; none when the owner has gone.
UniqueFd next_listener(int starter) {
  for (;;) {
    char byte = 0;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    iovec part{&byte, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    // Without the padding, which has room for a second one: the kernel keeps that to itself.
    message.msg_controllen = CMSG_LEN(sizeof(int));
    ssize_t got = ::recvmsg(starter, &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) continue;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    UniqueFd given(fd);
    if (is_unix_listener(given)) return given;
  }
}

int run_starter(const Options& options) {
  egress::close_others(options.starter);
  ::signal(SIGCHLD, SIG_IGN);  // nobody waits for those that it starts
  if (Result<void> confined = egress::confine_starter(); !confined) {
    raw_log("atoll-egress: ", confined.error().to_string());
    return kCrashed;
  }
  while (UniqueFd listener = next_listener(options.starter)) {
    if (::fork() != 0) continue;
    ::signal(SIGCHLD, SIG_DFL);
    ::setsid();
    egress::WorkerOptions own = options;
    own.control = listener.get();
    ::_exit(run(std::move(own)));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<Options> options = parse(argc > 0 ? argv + 1 : argv);
  if (!options) return usage();
  egress::cleanse_freed_memory();
  return options->starter < 0 ? run(*options) : run_starter(*options);
}
