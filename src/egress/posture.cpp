#include "egress/posture.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "confine/call_list.hpp"
#include "confine/capabilities.hpp"

namespace atl::egress {

namespace {

constexpr rlim_t kDescriptors = 65'536;  // two for each connection
// AddressSanitizer maps more than that.
constexpr rlim_t kMemory = 2ull << 30;

// What a worker needs in its loop: connections, their sockets, memory, and its own end.
constexpr auto kWorkerCalls = std::to_array<int>({
    SYS_read,         SYS_write,          SYS_close,           SYS_fcntl,         SYS_recvfrom,
    SYS_recvmsg,      SYS_sendto,         SYS_sendmsg,         SYS_connect,       SYS_accept4,
    SYS_getsockname,  SYS_getsockopt,     SYS_setsockopt,      SYS_shutdown,      SYS_epoll_create1,
    SYS_epoll_ctl,    SYS_epoll_pwait,    SYS_getrandom,       SYS_clock_gettime, SYS_futex,
    SYS_brk,          SYS_munmap,         SYS_mremap,          SYS_madvise,       SYS_rt_sigaction,
    SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_restart_syscall, SYS_getpid,        SYS_gettid,
    SYS_tgkill,       SYS_exit,           SYS_exit_group,
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
});
// Besides: making workers, what those do before their own filter, and waiting for them.
constexpr auto kParentCalls = std::to_array<int>({
    SYS_clone,
    SYS_wait4,
    SYS_waitid,
    SYS_prctl,
    SYS_seccomp,
    SYS_clock_nanosleep,
    SYS_set_robust_list,
    SYS_getppid,
    SYS_bind,
    SYS_ppoll,
    SYS_set_tid_address,
    SYS_rseq,
#ifdef SYS_poll
    SYS_poll,
#endif
});
// Besides: becoming a parent of workers. No execve: what it starts is this program.
constexpr auto kStarterCalls = std::to_array<int>({
    SYS_openat,
    SYS_setsid,
    SYS_setgroups,
    SYS_setresgid,
    SYS_setresuid,
    SYS_geteuid,
    SYS_getuid,
    SYS_prlimit64,
    SYS_getrlimit,
    SYS_setrlimit,
    SYS_capget,
    SYS_capset,
    SYS_close_range,
    SYS_dup,
    SYS_newfstatat,
    SYS_lseek,
});
// Unix sockets reach the host's services; netlink lists the host's own addresses.
constexpr auto kWorkerFamilies = std::to_array<int>({AF_INET, AF_INET6});
constexpr auto kParentFamilies = std::to_array<int>({AF_INET, AF_INET6, AF_NETLINK});

Result<void> check(int error, const char* what) {
  return error == 0 ? Result<void>() : fail_errno(what, error);
}

// A lower hard limit stays.
Result<void> limit(__rlimit_resource resource, rlim_t most) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return fail_errno("getrlimit");
  now.rlim_cur = now.rlim_max = std::min(now.rlim_max, most);
  if (::setrlimit(resource, &now) != 0) return fail_errno("setrlimit");
  return {};
}

Result<void> become_egress_user() {
  ATOLL_CHECK(check(confine::lock_securebits(), "securebits"));
  if (::setgroups(0, nullptr) != 0 || ::setresgid(kEgressUid, kEgressUid, kEgressUid) != 0 ||
      ::setresuid(kEgressUid, kEgressUid, kEgressUid) != 0) {
    return fail_errno("becoming the user of egress");
  }
  return {};
}

}  // namespace

void close_others(int keep) {
  if (keep > 3) ::syscall(SYS_close_range, 3, keep - 1, 0);
  ::syscall(SYS_close_range, std::max(keep + 1, 3), ~0u, 0);
}

Result<void> confine_starter() {
  ATOLL_CHECK(limit(RLIMIT_CORE, 0));
  ATOLL_CHECK(check(confine::set_no_new_privs(), "no_new_privs"));
  bool root = ::geteuid() == 0;
  // What become_egress_user() needs, and no way to read or trace what is another user's.
  constexpr std::uint64_t kKept = 1ull << CAP_SETUID | 1ull << CAP_SETGID | 1ull << CAP_SETPCAP;
  ATOLL_CHECK(check(confine::keep_only_capabilities(root ? kKept : 0), "dropping capabilities"));
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return fail_errno("PR_SET_DUMPABLE");
  std::vector<int> calls(kWorkerCalls.begin(), kWorkerCalls.end());
  calls.insert(calls.end(), kParentCalls.begin(), kParentCalls.end());
  calls.insert(calls.end(), kStarterCalls.begin(), kStarterCalls.end());
  return check(confine::allow_only_calls(calls, kParentFamilies), "seccomp");
}

Result<Bounds> confine_parent() {
  ATOLL_CHECK(limit(RLIMIT_CORE, 0));
  ATOLL_CHECK(limit(RLIMIT_NOFILE, kDescriptors));
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
  ATOLL_CHECK(limit(RLIMIT_DATA, kMemory));
#endif
  ATOLL_CHECK(check(confine::set_no_new_privs(), "no_new_privs"));
  if (::geteuid() == 0) ATOLL_CHECK(become_egress_user());
  ATOLL_CHECK(check(confine::keep_only_capabilities(0), "dropping capabilities"));
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return fail_errno("PR_SET_DUMPABLE");
  std::vector<int> calls(kWorkerCalls.begin(), kWorkerCalls.end());
  calls.insert(calls.end(), kParentCalls.begin(), kParentCalls.end());
  rlimit descriptors{}, memory{};  // the filter does not let it ask later
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0 || ::getrlimit(RLIMIT_DATA, &memory) != 0) {
    return fail_errno("getrlimit");
  }
  ATOLL_CHECK(check(confine::allow_only_calls(calls, kParentFamilies), "seccomp"));
  return Bounds{.descriptors = descriptors.rlim_cur, .memory = std::min(memory.rlim_cur, kMemory)};
}

Result<void> confine_worker() {
  return check(confine::allow_only_calls(kWorkerCalls, kWorkerFamilies), "seccomp");
}

}  // namespace atl::egress
