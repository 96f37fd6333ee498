// The walls around the launcher itself: what it holds is what it needs. Everything below it starts
// with these, and adds its own.
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>

#include "confine/capabilities.hpp"
#include "confine/walls.hpp"
#include "engine/launcher.hpp"

namespace atl::engine {
namespace {

constexpr std::uint64_t caps(auto... numbers) { return ((std::uint64_t{1} << numbers) | ...); }

// Namespaces, mounts and loop devices; ids of sandboxes; signals to other uids; folders, sockets
// and files with owners; device nodes and networks of sandboxes, with ports below 1024 in them;
// limits; what lies in /proc of a sandbox; capabilities to give up.
constexpr std::uint64_t kNeeded =
    caps(CAP_SYS_ADMIN, CAP_SYS_CHROOT, CAP_SETUID, CAP_SETGID, CAP_KILL, CAP_CHOWN, CAP_FOWNER,
         CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_MKNOD, CAP_NET_ADMIN, CAP_NET_BIND_SERVICE,
         CAP_SYS_RESOURCE, CAP_SYS_PTRACE, CAP_SETPCAP);

consteval auto numbers(auto... all) { return std::array{static_cast<std::uint32_t>(all)...}; }

// Ways into the kernel and into other processes that neither the launcher nor anything that it
// starts needs.
constexpr std::array kNever = numbers(
    __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, 438 /* pidfd_getfd */, __NR_kcmp,
    __NR_bpf, __NR_perf_event_open, __NR_userfaultfd, __NR_io_uring_setup, __NR_io_uring_enter,
    __NR_io_uring_register, __NR_keyctl, __NR_add_key, __NR_request_key, __NR_kexec_load,
    __NR_kexec_file_load, __NR_init_module, __NR_finit_module, __NR_delete_module, __NR_reboot,
    __NR_swapon, __NR_swapoff, __NR_settimeofday, __NR_clock_settime, __NR_clock_adjtime,
    __NR_adjtimex, __NR_open_by_handle_at, __NR_fanotify_init, __NR_syslog, __NR_acct,
    __NR_quotactl, __NR_vhangup);

#if defined(__x86_64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kArch = AUDIT_ARCH_AARCH64;
#endif
constexpr std::uint32_t kOtherNumbers = 0x40000000;  // x32: the same architecture, other numbers

// The list means other calls on another architecture, so its callers are killed. Numbers of x32 are
// unknown calls, as in a sandbox, which inherits this.
bool install_filter() {
  constexpr std::size_t kCount = std::size(kNever);
  sock_filter code[kCount + 8];
  std::size_t size = 0;
  code[size++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  code[size++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArch, 1, 0);
  code[size++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  code[size++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  code[size++] = BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kOtherNumbers, 0, 1);
  code[size++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
  for (std::size_t i = 0; i < kCount; ++i) {
    auto over = static_cast<std::uint8_t>(kCount - i);
    code[size++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNever[i], over, 0);
  }
  code[size++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[size++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  sock_fprog filter{static_cast<unsigned short>(size), code};
  return ::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

}  // namespace

// What a sandbox inherits of these is a second wall behind its own. Where a test takes down the
// first one it wants to see the other side of it.
bool confine_launcher() {
  using confine::Wall;
  using confine::wall_up;
  // With another effective uid (ActingAs) the launcher keeps its powers.
  constexpr unsigned long kBits = SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
                                  SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  // A slot takes some twenty descriptors. What a user namespace may count is limited by its maker.
  for (int resource : {RLIMIT_NOFILE, RLIMIT_SIGPENDING}) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0) return false;
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(resource, &limit) != 0) return false;
  }
  rlimit none{0, 0};
  return ::setrlimit(RLIMIT_CORE, &none) == 0 && ::prctl(PR_SET_SECUREBITS, kBits, 0, 0, 0) == 0 &&
         (!wall_up(Wall::kNoCapabilities) || confine::keep_only_capabilities(kNeeded, true) == 0) &&
         (!wall_up(Wall::kNoNewPrivs) || confine::set_no_new_privs() == 0) &&
         ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
         (!wall_up(Wall::kSeccomp) || install_filter());
}

}  // namespace atl::engine
