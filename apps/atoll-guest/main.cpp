// atoll-guest: pid 1 of a sandbox. Finds out where its host will come from, makes itself hard to
// get at for the code it will run, and serves.
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <string_view>

#include "confine/capabilities.hpp"
#include "confine/seccomp.hpp"
#include "confine/walls.hpp"
#include "guest/build_box.hpp"
#include "guest/server.hpp"

namespace {

using atl::UniqueFd;
using atl::guest::GuestConfig;
using atl::guest::Server;

constexpr std::string_view kHelp =
    "atoll-guest: Atoll's agent inside a sandbox. Backends start it; there is no need to do it by "
    "hand.\n"
    "  atoll-guest                                  configuration on descriptor 3, listening "
    "socket on 4\n"
    "  atoll-guest --stdio                          serves one host on stdin and stdout\n"
    "  atoll-guest --listen PATH --token-file FILE  serves hosts that connect to the Unix socket "
    "PATH,\n"
    "              [--once]                         with --once only until the first one leaves;\n"
    "              [--keep-caps]                    programs keep CHOWN, SETUID and SETGID where\n"
    "                                               the guest has them\n"
    "  atoll-guest --connect PATH                   joins stdin and stdout to that socket\n"
    "  atoll-guest --version\n";

void print(int fd, std::string_view text) {
  [[maybe_unused]] ssize_t n = ::write(fd, text.data(), text.size());
}

// All that a container may be given (sandbox.backends.docker.capAdd).
constexpr std::uint16_t kGrantableCaps = 1u << CAP_CHOWN | 1u << CAP_SETUID | 1u << CAP_SETGID;

int give_up(std::string_view why) {
  print(2, "atoll-guest: ");
  print(2, why);
  print(2, "\n");
  return 2;
}

// From a socket with the descriptors that follow, from a pipe without.
bool read_config(GuestConfig& config) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 64)];
  iovec part{&config, sizeof config};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = ::recvmsg(atl::guest::kConfigFd, &message, 0);
  if (size < 0 && errno == ENOTSOCK) size = ::read(atl::guest::kConfigFd, &config, sizeof config);
  return size == static_cast<ssize_t>(sizeof config) && (message.msg_flags & MSG_CTRUNC) == 0 &&
         config.magic == atl::guest::kMagic && config.version == atl::guest::kVersion;
}

// Above the three standard ones, which may all be closed: a new pipe must never become one of them.
int open_null() {
  int fd = -1;
  do {
    fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (fd >= 0 && fd < 3);
  return fd;
}

void harden() {
  ::umask(022);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (::getpid() != 1) ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  if (atl::confine::wall_up(atl::confine::Wall::kCleanStart)) {
    ::syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
  }
  // Whoever started us may have ignored these, and programs would inherit that.
  for (int number : {SIGHUP, SIGINT, SIGQUIT, SIGCHLD, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE}) {
    ::signal(number, SIG_DFL);
  }
}

// Before anything is read that a host or a program sent.
bool confine_oneself() {
  using atl::confine::Wall;
  if (atl::confine::wall_up(Wall::kNoNewPrivs) && atl::confine::set_no_new_privs() != 0) {
    return false;
  }
  return !atl::confine::wall_up(Wall::kSeccomp) || atl::confine::install_seccomp() == 0;
}

sockaddr_un socket_address(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  return address;
}

// Who gets to the socket is up to its folder; what he may do there, to the token.
UniqueFd listen_at(const char* path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address = socket_address(path);
  ::unlink(path);
  mode_t old = ::umask(0111);
  bool ok = ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
            ::listen(fd.get(), 8) == 0;
  ::umask(old);
  if (!ok) fd.reset();
  return fd;
}

// 32 bytes. Removed if possible: what runs here later has no business with it.
bool read_token(const char* path, atl::guest::Token& token) {
  UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  bool ok =
      file && ::read(file.get(), token.data(), token.size()) == static_cast<ssize_t>(token.size());
  ::unlink(path);
  return ok;
}

// A backend that can only start processes reaches the socket through this one.
int bridge(const char* path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = socket_address(path);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return give_up("the guest's socket does not answer");
  }
  pollfd ends[2] = {{0, POLLIN, 0}, {fd.get(), POLLIN, 0}};
  int targets[2] = {fd.get(), 1};
  static char buffer[64 * 1024];
  for (;;) {
    if (::poll(ends, 2, -1) < 0 && errno != EINTR) return 1;
    for (int i = 0; i < 2; ++i) {
      if (ends[i].revents == 0) continue;
      ssize_t size = ::read(ends[i].fd, buffer, sizeof buffer);
      if (size <= 0) return 0;
      for (ssize_t at = 0; at < size;) {
        ssize_t written = ::write(targets[i], buffer + at, static_cast<std::size_t>(size - at));
        if (written <= 0) return 0;
        at += written;
      }
    }
  }
}

int serve_native() {
  GuestConfig config;
  if (!read_config(config)) return give_up("no configuration on descriptor 3; see --help");
  int next = atl::guest::kFirstTaskFd + config.task_fds + config.zygote;
  if (config.build != 0) atl::guest::build_box(config, next);
  ::close(atl::guest::kConfigFd);
  harden();
  if (!confine_oneself()) return give_up("cannot confine itself");
  std::vector<int> task_fds;
  for (int i = 0; i < config.task_fds; ++i) task_fds.push_back(atl::guest::kFirstTaskFd + i);
  Server server(config, std::move(task_fds), open_null());
  if (config.zygote != 0) server.zygote().reset(next - 1);
  ::fcntl(atl::guest::kListenFd, F_SETFL, O_RDWR | O_NONBLOCK);
  UniqueFd socket(atl::guest::kListenFd);
  if (config.connected != 0) {
    server.serve(std::move(socket), UniqueFd());
  } else {
    server.listen(std::move(socket));
  }
  return server.run();
}

GuestConfig own_config() {
  GuestConfig config;
  config.user_uid = ::getuid();
  config.user_gid = ::getgid();
  return config;
}

int serve_stdio() {
  harden();
  ::setsid();  // fails for a leader, whose group is its own already
  if (!confine_oneself()) return give_up("cannot confine itself");
  for (int fd : {0, 1}) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  Server server(own_config(), {}, open_null());
  server.set_environment(environ);
  server.serve(UniqueFd(0), UniqueFd(1));
  return server.run();
}

int serve_socket(const char* path, const char* token_file, bool once, bool keep_caps) {
  GuestConfig config = own_config();
  if (keep_caps) config.kept_caps = kGrantableCaps;
  if (!read_token(token_file, config.token)) {
    return give_up("the token file does not hold 32 bytes");
  }
  harden();
  UniqueFd listener = listen_at(path);
  if (!listener) return give_up("cannot listen there");
  if (!confine_oneself()) return give_up("cannot confine itself");
  Server server(config, {}, open_null());
  server.listen(std::move(listener), once);
  return server.run();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return serve_native();
  std::string_view mode = argv[1];
  if (mode == "--stdio" && argc == 2) return serve_stdio();
  if (mode == "--connect" && argc == 3) return bridge(argv[2]);
  if (mode == "--listen" && argc >= 5 && std::string_view(argv[3]) == "--token-file") {
    bool once = argc > 5 && std::string_view(argv[5]) == "--once";
    int rest = once ? 6 : 5;
    bool keep_caps = argc > rest && std::string_view(argv[rest]) == "--keep-caps";
    if (argc == rest + keep_caps) return serve_socket(argv[2], argv[4], once, keep_caps);
  }
  if (mode == "--version") return print(1, "atoll-guest " ATOLL_VERSION "\n"), 0;
  print(mode == "--help" ? 1 : 2, kHelp);
  return mode == "--help" ? 0 : 2;
}
