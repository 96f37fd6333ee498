// Line 20: memory of the kernel in small objects, tables and queues; and what of it is counted for
// several sandboxes together.
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <time.h>

#include "kernel_memory.hpp"

namespace {

using attack::Bytes;
using attack::g_block;
using attack::repeat;
using attack::spread;

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
  return fd >= 0 && close(fd) == 0;
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
  if (!make_file(0)) {
    return 0;
  }
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

constexpr attack::Attack kAttacks[] = {{"epoll", spread<epoll>},
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
