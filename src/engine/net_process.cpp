#include "engine/net_process.hpp"

#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstdint>
#include <cstring>

#include "base/send_fds.hpp"
#include "confine/capabilities.hpp"
#include "engine/egress_sockets.hpp"
#include "engine/failure.hpp"
#include "engine/helper.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

// To enter namespaces, also those of processes that nobody may look into; routes, rules and
// transparent sockets; ports 1 and 53.
bool confine_net() {
  constexpr std::uint64_t kNeeded = 1ull << CAP_SYS_ADMIN | 1ull << CAP_SYS_PTRACE |
                                    1ull << CAP_NET_ADMIN | 1ull << CAP_NET_BIND_SERVICE;
  return confine::keep_only_capabilities(kNeeded, true) == 0 && confine::set_no_new_privs() == 0;
}

// Whether this process stands in that network namespace, as far as can be known.
bool stands_in(const UniqueFd& netns) {
  struct stat there{}, here{};
  if (::fstat(netns.get(), &there) != 0 || ::stat("/proc/self/ns/net", &here) != 0) return true;
  return there.st_ino == here.st_ino && there.st_dev == here.st_dev;
}

// By the process and not by its namespace: when it has ended there is none to enter, and whoever
// has its slot by then is safe.
Failure open_network(const UniqueFd& process, const UniqueFd& host, UniqueFd& listener,
                     UniqueFd& dns) {
  if (::setns(process.get(), CLONE_NEWNET) != 0) return {Step::kEgress, errno};
  if (stands_in(host)) return {Step::kEgress, EPERM};
  if (int error = route_to_egress()) return {Step::kEgress, error};
  if (!make_egress_sockets(listener, dns)) return {Step::kEgress, errno};
  return {};
}

}  // namespace

int open_networks() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  // Between orders it stands in an empty network of its own, neither the host's nor a sandbox's.
  if (::unshare(CLONE_NEWNET) != 0) return 1;
  UniqueFd home(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
  if (!home || !confine_net()) return 1;
  for (;;) {
    char order = 0;
    std::vector<UniqueFd> given;
    ssize_t size = receive_fds(kHelperSocket, bytes_at(order), given, true);
    if (size == 0) return 0;  // the launcher has ended
    if (size < 0) continue;
    Failure failure{Step::kEgress, EINVAL};
    UniqueFd listener, dns;
    if (given.size() == kNetFds) {
      failure = open_network(given[kNetProcess], given[kNetHost], listener, dns);
    }
    if (::setns(home.get(), CLONE_NEWNET) != 0) return 1;
    const int both[] = {listener.get(), dns.get()};
    bool opened = failure.step == Step::kNone;
    if (send_fds(kHelperSocket, &failure, sizeof failure,
                 std::span(both).first(opened ? std::size(both) : 0)) < 0) {
      return 1;
    }
  }
}

int open_own_network(const char* path) {
  sockaddr_un to{.sun_family = AF_UNIX, .sun_path = {}};
  if (std::strlen(path) >= sizeof to.sun_path) return 1;
  std::strcpy(to.sun_path, path);
  UniqueFd link(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!link || ::connect(link.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    return 1;
  }
  UniqueFd listener, dns;
  std::int32_t error = route_to_egress();
  if (error == 0 && !make_egress_sockets(listener, dns)) error = errno;
  const int both[] = {listener.get(), dns.get()};
  auto fds = std::span(both).first(error == 0 ? std::size(both) : 0);
  return send_fds(link.get(), &error, sizeof error, fds) < 0 ? 1 : 0;
}

}  // namespace atl::engine
