#include "jail.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "base/write_text.hpp"
#include "confine/call_list.hpp"
#include "confine/capabilities.hpp"

namespace atl::unpacker {
namespace {

// Twice what two million folders and the largest window of zstd take.
[[maybe_unused]] constexpr rlim_t kMemory = 2ull << 30;
constexpr rlim_t kCpuSeconds = 3600;

Result<void> limit(int resource, rlim_t most) {
  rlimit limit{most, most};
  if (::setrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) {
    return fail_errno("setrlimit");
  }
  return {};
}

Result<void> set_limits(std::uint64_t max_file_bytes) {
  ATOLL_CHECK(limit(RLIMIT_CORE, 0));
  ATOLL_CHECK(limit(RLIMIT_NOFILE, 64));
  ATOLL_CHECK(limit(RLIMIT_CPU, kCpuSeconds));
  ATOLL_CHECK(limit(RLIMIT_FSIZE, max_file_bytes));
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
  ATOLL_CHECK(limit(RLIMIT_AS, kMemory));
#endif
  return {};
}

// The host's only user of this number: below those of zygotes (src/engine/zygote.cpp) and slots
// (src/engine/slot.hpp).
constexpr uid_t kUnpackUid = 0x5ffe0000;

// Root becomes a user that nobody else is, so that it may signal and trace nobody where there is no
// namespace for that. Securebits keep the capabilities of the one inside.
bool become_unpack_user() {
  return ::setgroups(0, nullptr) == 0 && ::setresgid(kUnpackUid, kUnpackUid, kUnpackUid) == 0 &&
         ::setresuid(kUnpackUid, kUnpackUid, kUnpackUid) == 0;
}

// What stays outside of the process namespace: waits for the one inside, dies with `atoll`, and
// ends as the one inside did. The same user, because the kernel asks whether a parent that dies may
// signal its child. Keeps no file; on `question` the one inside asks once whether this one lives.
[[noreturn]] void follow(pid_t child, pid_t atoll, int question) {
  ::dup2(question, 0);
  ::syscall(SYS_close_range, 1, ~0u, 0);
  int status = 0;
  // Whether `atoll` lives is asked last: from the signal's setting on its death is noticed.
  bool safe = (::geteuid() != 0 || become_unpack_user()) &&
              confine::keep_only_capabilities(0) == 0 &&
              ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && ::getppid() == atoll;
  if (!safe) ::_exit(1);
  char word = 0;
  if (::recv(0, &word, 1, 0) == 1) ::send(0, &word, 1, MSG_NOSIGNAL);
  ::close(0);
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

// Namespaces without anything in them, and the folder as the root of all paths. Whoever is not root
// needs a user namespace for that, in which he stays himself. Comes back as the first process of
// its namespace, which can name no other one; `parent` leads to the process outside.
bool enter_namespaces(int staging, pid_t atoll, UniqueFd& parent) {
  uid_t uid = ::geteuid();
  gid_t gid = ::getegid();
  int flags = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWPID;
  if (uid != 0) flags |= CLONE_NEWUSER;
  if (::unshare(flags) != 0) return false;
  if (uid != 0) {
    auto same = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1\n"; };
    if (!write_text("/proc/self/setgroups", "deny") ||
        !write_text("/proc/self/uid_map", same(uid)) ||
        !write_text("/proc/self/gid_map", same(gid))) {
      return false;
    }
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  parent.reset(ends[0]);
  UniqueFd question(ends[1]);
  pid_t child = ::fork();
  if (child < 0) return false;
  if (child > 0) follow(child, atoll, question.get());
  return ::fchdir(staging) == 0 && ::chroot(".") == 0;
}

// Numbers of include/uapi/linux/landlock.h that Debian 12's headers do not have yet.
struct RulesetAttr {
  std::uint64_t handled_access_fs = 0;
  std::uint64_t handled_access_net = 0;
};
constexpr std::uint64_t kTruncate = 1u << 14;     // ABI 3
constexpr std::uint64_t kIoctlDevice = 1u << 15;  // ABI 5
constexpr std::uint64_t kTcp = 3;                 // ABI 4: bind and connect

// Everything that Landlock knows is refused, but for making and filling files below `staging`.
bool enter_landlock(int staging) {
  long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1) return false;
  constexpr std::uint64_t kFirst = (1u << 13) - 1;  // all of ABI 1
  std::uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
                         LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                         LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                         LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                         LANDLOCK_ACCESS_FS_MAKE_SYM;
  RulesetAttr attr{.handled_access_fs = kFirst};
  if (abi >= 2) attr.handled_access_fs |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= 3) attr.handled_access_fs |= kTruncate;
  if (abi >= 4) attr.handled_access_net = kTcp;
  if (abi >= 5) attr.handled_access_fs |= kIoctlDevice;
  rights |= attr.handled_access_fs & (LANDLOCK_ACCESS_FS_REFER | kTruncate);
  std::size_t size = abi >= 4 ? sizeof attr : sizeof attr.handled_access_fs;
  UniqueFd rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attr, size, 0u)));
  landlock_path_beneath_attr beneath{.allowed_access = rights, .parent_fd = staging};
  return rules &&
         ::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &beneath, 0u) ==
             0 &&
         ::syscall(SYS_landlock_restrict_self, rules.get(), 0u) == 0;
}

// All that reading one descriptor and writing files takes. The rest does not exist.
constexpr int kCalls[] = {
    SYS_read,          SYS_pread64,         SYS_write,        SYS_pwrite64,
    SYS_writev,        SYS_close,           SYS_lseek,        SYS_fstat,
    SYS_newfstatat,    SYS_openat,          SYS_openat2,      SYS_mkdirat,
    SYS_mknodat,       SYS_symlinkat,       SYS_linkat,       SYS_unlinkat,
    SYS_fchmod,        SYS_fchown,          SYS_fchownat,     SYS_utimensat,
    SYS_fsetxattr,     SYS_ftruncate,       SYS_fcntl,        SYS_brk,
    SYS_munmap,        SYS_mremap,          SYS_madvise,      SYS_futex,
    SYS_clock_gettime, SYS_clock_nanosleep, SYS_getrandom,    SYS_getpid,
    SYS_gettid,        SYS_tgkill,          SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_rt_sigreturn,  SYS_restart_syscall, SYS_exit,         SYS_exit_group};

bool answers(int parent) {
  char word = 0;
  return ::send(parent, &word, 1, MSG_NOSIGNAL) == 1 && ::recv(parent, &word, 1, 0) == 1;
}

Result<void> check(int error, const char* what) {
  return error == 0 ? Result<void>() : fail_errno(what, error);
}

}  // namespace

Result<void> enter_jail(int staging, std::uint64_t max_file_bytes) {
  bool root = ::geteuid() == 0;
  pid_t atoll = ::getppid();
  ATOLL_CHECK(set_limits(max_file_bytes));
  ATOLL_CHECK(check(confine::set_no_new_privs(), "no_new_privs"));
  UniqueFd parent;
  bool apart = enter_namespaces(staging, atoll, parent);
  // Landlock alone would leave root's helper with powers over processes and networks of the host.
  if (root && !apart) {
    return fail(Code::kHostUnsupported,
                "root unpacks images in namespaces of their own, which cannot be made here");
  }
  bool ruled = enter_landlock(staging);
  if (!apart && !ruled) {
    return fail(Code::kHostUnsupported,
                "images are unpacked behind Landlock or namespaces, and this host has neither");
  }
  // Root's files may belong to anybody, and must be written whatever their modes say. All that it
  // can reach with these is the folder.
  constexpr std::uint64_t kRootKeeps =
      (1ull << CAP_CHOWN) | (1ull << CAP_FOWNER) | (1ull << CAP_DAC_OVERRIDE);
  if (root) {
    ATOLL_CHECK(check(confine::lock_securebits(), "securebits"));
    if (!become_unpack_user()) return fail_errno("becoming the unpacker's user");
  }
  ATOLL_CHECK(
      check(confine::keep_only_capabilities(root ? kRootKeeps : 0), "dropping capabilities"));
  // After the namespaces: becoming somebody there forgets it.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return fail_errno("PR_SET_PDEATHSIG");
  // A parent that has died before that is not noticed by the kernel.
  bool lives = apart ? answers(parent.get()) : ::getppid() == atoll;
  if (!lives) return fail(Code::kCancelled, "the import was given up");
  return check(confine::allow_only_calls(kCalls), "seccomp");
}

}  // namespace atl::unpacker
