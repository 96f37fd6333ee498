// Line 25: the host's clock, and more than a fair share of its processors and memory. The clock is
// set to the time it has.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <time.h>

#include "attack.hpp"

namespace {

// Without capabilities the kernel refuses a good request as the filter does, with EPERM. A bad one
// it refuses for being bad before it asks who we are: EINVAL says that the filter is not there.
void set_time() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (clock_settime(CLOCK_REALTIME, &now) == 0) {
    attack::through("the clock was set");
  }
  timespec bad{0, -1};
  attack::reached(syscall(SYS_clock_settime, CLOCK_REALTIME, &bad), {EINVAL}, "clock_settime");
}
void adjust() {
  timex change{};
  change.modes = ADJ_SETOFFSET;  // by nothing
  if (syscall(SYS_clock_adjtime, CLOCK_REALTIME, &change) >= 0) {
    attack::through("the clock was adjusted");
  }
  attack::reached(syscall(SYS_clock_adjtime, 99, &change), {EINVAL, EOPNOTSUPP}, "clock_adjtime");
}
// Asking without changing needs no right: refused all the same, by the filter only.
void adjust_old() {
  timex change{};
  attack::verdict(syscall(SYS_adjtimex, &change), "adjtimex");
}
void old_set_time() {
  timeval now{};
  syscall(SYS_gettimeofday, &now, nullptr);
  if (syscall(SYS_settimeofday, &now, nullptr) == 0) {
    attack::through("the clock was set");
  }
  timeval bad{0, -1};
  attack::reached(syscall(SYS_settimeofday, &bad, nullptr), {EINVAL}, "settimeofday");
}
void real_time() {
  sched_param param{};
  param.sched_priority = 1;
  attack::verdict(sched_setscheduler(0, SCHED_FIFO, &param), "SCHED_FIFO");
}
void round_robin() {
  sched_param param{};
  param.sched_priority = 1;
  attack::verdict(sched_setscheduler(0, SCHED_RR, &param), "SCHED_RR");
}
void deadline() {
  struct {
    unsigned size = 48;
    unsigned policy = 6;  // SCHED_DEADLINE
    unsigned long long flags = 0;
    int nice = 0;
    unsigned priority = 0;
    unsigned long long runtime = 1000000, deadline = 10000000, period = 10000000;
  } attributes;
  attack::verdict(syscall(SYS_sched_setattr, 0, &attributes, 0), "SCHED_DEADLINE");
}
void priority() { attack::verdict(setpriority(PRIO_PROCESS, 0, -5), "nice -5"); }
void io_priority() {
  attack::verdict(syscall(SYS_ioprio_set, 1 /*process*/, 0, (1 /*real time*/ << 13) | 0),
                  "real-time I/O class");
}
void lock_memory() {
  void* area = mmap(nullptr, 32 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED) {
    attack::broken("mmap");
  }
  attack::verdict(mlock(area, 32 << 20), "mlock of 32 MiB");
}
void lock_all() {
  void* area = mmap(nullptr, 32 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(area, 1, 32 << 20);
  attack::verdict(mlockall(MCL_CURRENT | MCL_FUTURE), "mlockall");
}
// Hard limits must be hard.
void raise_limits() {
  for (int resource :
       {RLIMIT_NOFILE, RLIMIT_CORE, RLIMIT_MEMLOCK, RLIMIT_NICE, RLIMIT_RTPRIO, RLIMIT_MSGQUEUE}) {
    rlimit limit{};
    getrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
    rlimit more{limit.rlim_max, limit.rlim_max + 1};
    if (limit.rlim_max == RLIM_INFINITY) {
      attack::through("limit %d is infinite", resource);
    }
    if (setrlimit(static_cast<__rlimit_resource_t>(resource), &more) == 0) {
      attack::through("limit %d was raised", resource);
    }
  }
  attack::stopped(errno, "setrlimit");
}
// The limit on open files holds.
void many_files() {
  unsigned long long limit = attack::number(0);
  unsigned long long count = 3;
  while (count < limit * 3 + 10 && dup(1) >= 0) {
    ++count;
  }
  if (count > limit) {
    attack::through("%llu descriptors, the limit is %llu", count, limit);
  }
  attack::stopped(errno, "dup");
}
// A core dump would go where the host's core_pattern says: a crash must not make one.
void core_dump() {
  rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &unlimited);
  rlimit limit{};
  getrlimit(RLIMIT_CORE, &limit);
  if (limit.rlim_max != 0) {
    attack::through("core dumps of %llu bytes", static_cast<unsigned long long>(limit.rlim_max));
  }
  attack::holds("no core dumps");
}

constexpr attack::Attack kAttacks[] = {
    {"clock_settime", set_time},    {"clock_adjtime", adjust}, {"adjtimex", adjust_old},
    {"settimeofday", old_set_time}, {"sched_fifo", real_time}, {"sched_rr", round_robin},
    {"sched_deadline", deadline},   {"nice", priority},        {"ioprio", io_priority},
    {"mlock", lock_memory},         {"mlockall", lock_all},    {"raise_limits", raise_limits},
    {"many_files", many_files},     {"core_dump", core_dump}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
