// Line 27: the network. TCP goes to the runner's own listener on the host's loopback and nowhere
// else; every other address is only asked for a route (connect of a UDP socket sends nothing).
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "attack.hpp"

namespace {

void host_listener() {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(attack::number(0)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  attack::verdict(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address),
                  "connect to the host's loopback");
}

void route() {
  const char* text = attack::argument(0);
  sockaddr_in6 six{};
  sockaddr_in four{};
  long result = -1;
  if (inet_pton(AF_INET, text, &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(80);
    result = connect(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
                     reinterpret_cast<sockaddr*>(&four), sizeof four);
  } else if (inet_pton(AF_INET6, text, &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(80);
    result = connect(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0),
                     reinterpret_cast<sockaddr*>(&six), sizeof six);
  } else {
    attack::broken("no address: %s", text);
  }
  attack::verdict(result, text);
}

void interfaces() {
  struct if_nameindex* list = if_nameindex();
  if (list == nullptr) {
    attack::stopped(errno, "if_nameindex");
  }
  for (struct if_nameindex* one = list; one->if_index != 0; ++one) {
    // Tunnel stubs that the kernel makes in every namespace are down and lead nowhere.
    if (strcmp(one->if_name, "lo") == 0) {
      continue;
    }
    ifreq request{};
    strncpy(request.ifr_name, one->if_name, IFNAMSIZ - 1);
    if (ioctl(socket(AF_INET, SOCK_DGRAM, 0), SIOCGIFFLAGS, &request) == 0 &&
        (request.ifr_flags & IFF_UP) == 0) {
      continue;
    }
    attack::through("interface %s", one->if_name);
  }
  attack::holds("lo and nothing else is up");
}

// Bringing an interface up or adding an address takes CAP_NET_ADMIN over this namespace.
void configure() {
  ifreq request{};
  strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (ioctl(fd, SIOCGIFFLAGS, &request) != 0) {
    attack::broken("SIOCGIFFLAGS");
  }
  attack::verdict(ioctl(fd, SIOCSIFFLAGS, &request), "SIOCSIFFLAGS");
}

void proc_net() {
  char table[65536];
  if (attack::slurp("/proc/net/route", table, sizeof table) < 0) {
    attack::stopped(errno, "/proc/net/route");
  }
  char* line = strchr(table, '\n');
  if (line != nullptr && line[1] != 0) {
    attack::through("a route: %s", line + 1);
  }
  attack::holds("no route");
}

// Host unix sockets are listed by the kernel for the network namespace we are in.
void proc_unix() {
  char table[65536];
  if (attack::slurp("/proc/net/unix", table, sizeof table) < 0) {
    attack::stopped(errno, "/proc/net/unix");
  }
  if (strstr(table, attack::argument(0)) != nullptr) {
    attack::through("the host's socket is listed");
  }
  attack::holds("the host's sockets are not listed");
}

constexpr attack::Attack kAttacks[] = {{"host_listener", host_listener}, {"route", route},
                                       {"interfaces", interfaces},       {"configure", configure},
                                       {"proc_net", proc_net},           {"proc_unix", proc_unix}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
