// Line 12: socket families. Sockets are made, never connected: vsock leads to the hypervisor.
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "attack.hpp"

namespace {

void vsock() { attack::verdict(socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0), "AF_VSOCK"); }
void vsock_datagram() {
  attack::verdict(socket(AF_VSOCK, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), "AF_VSOCK seqpacket");
}
// The kernel takes 32 bits of the family.
void vsock_high_bits() {
  attack::verdict(syscall(SYS_socket, 0x7700000000L | AF_VSOCK, SOCK_STREAM, 0),
                  "AF_VSOCK, high bits set");
}
void packet() {
  attack::become_namespace_root(CLONE_NEWNET);
  attack::verdict(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), "AF_PACKET");
}
void raw() {
  attack::become_namespace_root(CLONE_NEWNET);
  attack::verdict(socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP), "raw AF_INET");
}
void xdp() {
  attack::become_namespace_root(CLONE_NEWNET);
  attack::verdict(socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0), "AF_XDP");
}

template <int kProtocol>
void netlink() {
  attack::verdict(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, kProtocol), "AF_NETLINK");
}
void netlink_high_bits() {
  attack::verdict(syscall(SYS_socket, AF_NETLINK, SOCK_RAW, 0x100000000L | NETLINK_KOBJECT_UEVENT),
                  "AF_NETLINK, high bits set in the protocol");
}

// Every family and type there is (10 is SOCK_PACKET), beyond the four that are meant to work.
void sweep() {
  int tried = 0;
  // Families innermost: where nothing refuses them one soon gets through, and the kernel has to ask
  // for few modules until then.
  for (int protocol = 0; protocol < 32; ++protocol) {
    for (int type : {1, 2, 3, 4, 5, 10}) {
      for (int family = 0; family < 64; ++family) {
        if (family == AF_UNIX || family == AF_INET || family == AF_INET6 ||
            (family == AF_NETLINK ? protocol == NETLINK_ROUTE : protocol >= 8)) {
          continue;
        }
        ++tried;
        if (socket(family, type | SOCK_CLOEXEC, protocol) >= 0) {
          attack::through("family %d, type %d, protocol %d", family, type, protocol);
        }
        int pair[2];
        if (socketpair(family, type | SOCK_CLOEXEC, protocol, pair) == 0) {
          attack::through("socketpair of family %d", family);
        }
      }
    }
  }
  attack::holds("%d combinations refused", tried);
}

// Under the internet families: protocols that the kernel may have to load first, and that few have
// looked at. MPTCP, UDP-Lite, SCTP, DCCP, L2TP, SMC; then types without a protocol.
void inet_sweep() {
  int tried = 0;
  for (int protocol : {262, 136, 132, 33, 115, 256, 2, 41, 47, 50, 51, 103, 108, 255, 0}) {
    for (int type : {1, 2, 5, 6}) {
      for (int family : {AF_INET, AF_INET6}) {
        if (protocol == 0 && type <= 2) {
          continue;
        }
        ++tried;
        if (socket(family, type | SOCK_CLOEXEC, protocol) >= 0) {
          attack::through("family %d, type %d, protocol %d", family, type, protocol);
        }
      }
    }
  }
  attack::holds("%d combinations refused", tried);
}

// Pairs of every family; whether the host had to load anything for them is seen there.
void pairs() {
  for (int family = 0; family < 64; ++family) {
    int pair[2];
    if (family != AF_UNIX && socketpair(family, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0) {
      attack::through("socketpair of family %d", family);
    }
  }
  attack::holds("pairs of AF_UNIX only");
}

// Calls on any socket for which the host would load a module, whoever asks.
void ioctls() {
  for (int family : {AF_INET, AF_INET6, AF_UNIX}) {
    int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
      attack::broken("socket");
    }
    // SIOC{G,S}IFBR, SIOC{G,S}IFVLAN, SIOCBR{ADD,DEL}BR
    for (unsigned long call : {0x8940, 0x8941, 0x8982, 0x8983, 0x89a0, 0x89a1}) {
      char argument[256] = {};
      if (ioctl(fd, call, argument) == 0 || errno != EPERM) {
        attack::through("ioctl %lx of a socket of family %d", call, family);
      }
    }
  }
  attack::stopped(EPERM, "ioctls about bridges and VLANs");
}

// SOCK_PACKET is the old name of AF_PACKET under AF_INET; SMC and MPTCP hide under AF_INET's
// protocol.
void inet_disguises() {
  attack::become_namespace_root(CLONE_NEWNET);
  attack::verdict(socket(AF_INET, 10 /*SOCK_PACKET*/ | SOCK_CLOEXEC, 0x300), "SOCK_PACKET");
}

// What programs need must go on working: this one is "through" in both runs.
void allowed() {
  int unix_pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, unix_pair) != 0) {
    attack::stopped(errno, "socketpair AF_UNIX");
  }
  for (int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET}) {
    if (socket(AF_UNIX, type, 0) < 0) {
      attack::stopped(errno, "AF_UNIX");
    }
  }
  for (int family : {AF_INET, AF_INET6}) {
    for (int type : {SOCK_STREAM, SOCK_DGRAM}) {
      if (socket(family, type, 0) < 0) {
        attack::stopped(errno, "AF_INET or AF_INET6");
      }
    }
  }
  int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  if (fd < 0) {
    attack::stopped(errno, "NETLINK_ROUTE");
  }
  struct {
    nlmsghdr head;
    rtgenmsg body;
  } request{};
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = RTM_GETLINK;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.rtgen_family = AF_UNSPEC;
  char answer[8192];
  if (send(fd, &request, sizeof request, 0) < 0 || recv(fd, answer, sizeof answer, 0) <= 0) {
    attack::stopped(errno, "NETLINK_ROUTE dump");
  }
  // And a server on the sandbox's own loopback.
  int server = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(server, 1) != 0 ||
      getsockname(server, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    attack::stopped(errno, "bind on loopback");
  }
  int client = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    attack::stopped(errno, "connect on loopback");
  }
  attack::through("unix, inet, inet6, netlink route and loopback work");
}

constexpr attack::Attack kAttacks[] = {
    {"vsock", vsock},
    {"vsock_seqpacket", vsock_datagram},
    {"vsock_high_bits", vsock_high_bits},
    {"packet", packet},
    {"raw", raw},
    {"xdp", xdp},
    {"netlink_generic", netlink<NETLINK_GENERIC>},
    {"netlink_sock_diag", netlink<NETLINK_SOCK_DIAG>},
    {"netlink_uevent", netlink<NETLINK_KOBJECT_UEVENT>},
    {"netlink_netfilter", netlink<NETLINK_NETFILTER>},
    {"netlink_xfrm", netlink<NETLINK_XFRM>},
    {"netlink_audit", netlink<NETLINK_AUDIT>},
    {"netlink_connector", netlink<NETLINK_CONNECTOR>},
    {"netlink_high_bits", netlink_high_bits},
    {"inet_disguises", inet_disguises},
    {"sweep", sweep},
    {"inet_sweep", inet_sweep},
    {"pairs", pairs},
    {"ioctls", ioctls},
    {"allowed", allowed},
};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
