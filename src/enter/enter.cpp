// Three processes for one: `entrant` shares the zygote's memory (vfork), moves into the sandbox's
// namespaces and starts `stepping stone`, the first one with a pid inside, which shares it still;
// that one forks the only copy. Both helpers are gone at once: a process with a parent outside
// would keep the sandbox's pid 1 from dying, and a second copy of the page tables would cost as
// much as the first. Orphaned inside, the copy becomes a child of pid 1.
//
// Neither helper enters the sandbox's cgroups: an OOM kill there takes every process with the same
// memory, and that memory is the zygote's.
#include "enter/enter.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>

#include "confine/seccomp.hpp"
#include "confine/user_process.hpp"
#include "confine/walls.hpp"

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): libc's names
[[gnu::weak]] extern const std::ptrdiff_t __rseq_offset;
[[gnu::weak]] extern const unsigned __rseq_size;
// NOLINTEND(readability-identifier-naming)
}

namespace {

using atl::confine::StepError;
using atl::confine::UserStep;
using atl::enter::EnterPlan;

constexpr int kNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
                            CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;
constexpr int kReport = 4;  // where these end up, above stdio and control
constexpr int kArgs = 5;
constexpr int kAside = 16;

// The files of a leaf let in whom their opener, the slot's own uid, could move: pid 1's uid, which
// is this process's only as far as that. On v2 they look at where it comes from instead.
StepError enter_cgroups(const EnterPlan& plan) {
  constexpr unsigned kSame = ~0U, kPid1 = 0;
  if (::syscall(SYS_setresuid, kSame, kSame, kPid1) != 0) return {UserStep::kCgroup, errno};
  for (std::uint32_t i = 0; i < plan.task_count; ++i) {
    if (::write(plan.task_fds[i], "0", 1) != 1) return {UserStep::kCgroup, errno};
  }
  return {};
}

// Sources are moved aside first: each may stand on another's target.
StepError arrange_descriptors(const EnterPlan& plan) {
  int sources[] = {plan.stdio[0], plan.stdio[1], plan.stdio[2],
                   plan.control,  plan.report,   plan.args};
  for (int& source : sources) {
    if (source < 0) continue;
    source = ::fcntl(source, F_DUPFD_CLOEXEC, kAside);
    if (source < 0) return {UserStep::kStdio, errno};
  }
  if (plan.control < 0) ::close(3);
  for (int target = 0; target <= kArgs; ++target) {
    if (sources[target] >= 0 && ::dup2(sources[target], target) < 0) {
      return {UserStep::kStdio, errno};
    }
  }
  ::syscall(SYS_close_range, kArgs + 1, ~0U, 0);
  return {};
}

// The working directory stands in the ExecArgs (guest/messages.hpp), behind four fixed fields: the
// zygote itself never sees what an execution is about, so it cannot pass it on to the next one.
// With a socket in place of the file the execution is still to come, and will be for the usual
// directory.
StepError go_to_directory() {
  struct {
    unsigned char fixed[12];
    std::uint32_t size;
    char path[4096];
  } start;
  ssize_t got = ::pread(kArgs, &start, sizeof start, 0);
  bool to_come = got < 0 && errno == ESPIPE;
  if (to_come) start.size = 0;
  bool whole =
      to_come || (got >= static_cast<ssize_t>(offsetof(decltype(start), path)) &&
                  start.size < sizeof start.path &&
                  got >= static_cast<ssize_t>(offsetof(decltype(start), path) + start.size));
  if (!whole) return {UserStep::kDirectory, EINVAL};
  start.path[start.size] = '\0';
  bool named = start.size > 0;
  if (::chdir(named ? start.path : "/workspace") == 0 || (!named && ::chdir("/") == 0)) return {};
  return {UserStep::kDirectory, errno};
}

StepError confine(const EnterPlan& plan) {
  if (int error = atl::confine::install_seccomp()) return {UserStep::kSeccomp, error};
  StepError user = atl::confine::become_user({.switch_user = true,
                                              .uid = plan.uid,
                                              .gid = plan.gid,
                                              .open_files = plan.open_files,
                                              .data_bytes = plan.data_bytes,
                                              .execution = true});
  if (user.error != 0) return user;
  // The change of uid made it undumpable, and its own /proc/self somebody else's.
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  return go_to_directory();
}

// In the copy: it has its own memory, and nothing here is shared any more.
int settle(const EnterPlan& plan) {
  ::setsid();
  ::umask(022);
  StepError failed = enter_cgroups(plan);
  int report = plan.report;
  if (failed.error == 0) failed = arrange_descriptors(plan);
  if (failed.error == 0) {
    report = kReport;
    failed = confine(plan);
  }
  // Pid 1 is its parent from the first moment that anybody can ask.
  while (::getppid() != 1 && failed.error == 0) ::sched_yield();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  atl::confine::StartReport word{failed.step, failed.error, ::getpid()};
  if (failed.error != 0) word.pid = 0;
  bool told = ::write(report, &word, sizeof word) == static_cast<ssize_t>(sizeof word);
  if (failed.error != 0 || !told) ::_exit(127);
  ::close(report);
  return 0;
}

#if defined(__x86_64__)

// Of the thread, lost when a process goes on as its own clone: told to the kernel again.
struct ThreadState {
  int* tid = nullptr;  // where libc keeps its number
  void* robust_list = nullptr;
  std::size_t robust_size = 0;
};

// False where libc is not known to keep its thread number there (musl has a lock in this place).
bool remember(ThreadState& thread) {
  if (::prctl(PR_GET_TID_ADDRESS, &thread.tid, 0, 0, 0) != 0 || thread.tid == nullptr ||
      *thread.tid != static_cast<int>(::syscall(SYS_gettid))) {
    return false;
  }
  ::syscall(SYS_get_robust_list, 0, &thread.robust_list, &thread.robust_size);
  return true;
}

void restore(const ThreadState& thread) {
  constexpr unsigned kRseqSize = 32;
  constexpr unsigned kRseqSignature = 0x53053053;
  if (thread.robust_size != 0) {
    ::syscall(SYS_set_robust_list, thread.robust_list, thread.robust_size);
  }
  if (&__rseq_offset != nullptr && &__rseq_size != nullptr && __rseq_size != 0) {
    char* area = static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset;
    ::syscall(SYS_rseq, area, kRseqSize, 0, kRseqSignature);
  }
}

// Goes on in the clone only, with the same memory and on the same stack. So the caller's process
// ends right here, in registers: a word written to that stack would be the clone's. With
// `wait_options` 0 it reaps the clone first: left to others, one with a pid inside would keep the
// sandbox's pid 1 from dying.
void go_on_in_clone(unsigned long flags, int* tid, long wait_options) {
  register int* child_tid asm("r10") = tid;
  register long tls asm("r8") = 0;
  long result = SYS_clone;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jz 1f\n\t"
      "mov %%rax, %%rdi\n\t"
      "xor %%esi, %%esi\n\t"
      "mov %[options], %%rdx\n\t"
      "xor %%r10d, %%r10d\n\t"
      "mov %[wait], %%eax\n\t"
      "syscall\n\t"
      "xor %%edi, %%edi\n\t"
      "mov %[exit], %%eax\n\t"
      "syscall\n"
      "1:"
      : "+a"(result)
      : "D"(flags), "S"(0L), "d"(0L), "r"(child_tid),
        "r"(tls), [options] "r"(wait_options), [wait] "i"(SYS_wait4), [exit] "i"(SYS_exit_group)
      : "rcx", "r11", "memory", "cc");
}

#endif

}  // namespace

extern "C" int atoll_enter_whole(const EnterPlan* plan) {
#if defined(__x86_64__)
  ThreadState thread;
  if (!remember(thread)) return -ENOSYS;
  if (plan == nullptr) return 1;
  if (::setns(plan->pidfd, kNamespaces) != 0) return -errno;
  // Its end would have the kernel write to libc's thread number, which is the clone's by then.
  ::syscall(SYS_set_tid_address, nullptr);
  go_on_in_clone(CLONE_VM | SIGCHLD, nullptr, 0);
  go_on_in_clone(CLONE_VM | CLONE_CHILD_SETTID | SIGCHLD, thread.tid, WNOHANG);
  restore(thread);
  return settle(*plan);
#else
  static_cast<void>(plan);
  return -ENOSYS;
#endif
}

extern "C" int atoll_enter(const EnterPlan* plan) {
  volatile int error = 0;  // written by processes that share this memory
  // NOLINTBEGIN(bugprone-unsafe-functions): to share the memory is the point
  pid_t entrant = ::vfork();
  if (entrant == 0) {
    if (::setns(plan->pidfd, kNamespaces) != 0) {
      error = errno;
      ::_exit(1);
    }
    pid_t stepping_stone = ::vfork();
    // NOLINTEND(bugprone-unsafe-functions)
    if (stepping_stone == 0) {
      pid_t copy = ::_Fork();
      if (copy == 0) return settle(*plan);
      if (copy < 0) error = errno;
      ::_exit(0);
    }
    if (stepping_stone < 0) error = errno;
    if (stepping_stone > 0) ::waitpid(stepping_stone, nullptr, 0);
    ::_exit(0);
  }
  if (entrant < 0) return -errno;
  ::waitpid(entrant, nullptr, 0);
  return error != 0 ? -error : 1;
}

extern "C" void atoll_copy_pages(const atl::enter::PageRange* ranges, std::uint32_t count) {
  constexpr int kPopulateWrite = 23;  // since Linux 5.14; before that each write copies its page
  for (std::uint32_t i = 0; i < count; ++i) {
    void* start = reinterpret_cast<void*>(ranges[i].start);  // NOLINT(performance-no-int-to-ptr)
    ::madvise(start, ranges[i].size, kPopulateWrite);
  }
}
