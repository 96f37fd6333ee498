#include "confine/seccomp.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

// The filter is a balanced tree over ranges of system-call numbers, so that any call is decided in
// about seven comparisons: the kernel runs it once per number at installation to fill its cache of
// constant answers, and a linear list would cost five times as much.
namespace atl::confine {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_AARCH64;
#else
#error "Atoll supports x86_64 and aarch64"
#endif

enum class Rule : std::uint8_t { kAllow, kDeny, kNoSys, kClone, kSocket, kIoctl, kPrlimit, kPersonality };
struct Entry {
  std::uint32_t number;
  Rule rule;
};

// Numbers above this one are younger than the list: nobody has looked at them, so they do not exist.
constexpr std::uint32_t kLastKnown = 456;  // futex_requeue

// Not `auto`: the order here is by family, for the reader; ranges() sorts.
constexpr Entry kEntries[] = {
    // mounts and roots
    {__NR_mount, Rule::kDeny}, {__NR_umount2, Rule::kDeny}, {__NR_pivot_root, Rule::kDeny},
    {__NR_chroot, Rule::kDeny}, {__NR_fsopen, Rule::kDeny}, {__NR_fsconfig, Rule::kDeny},
    {__NR_fsmount, Rule::kDeny}, {__NR_fspick, Rule::kDeny}, {__NR_open_tree, Rule::kDeny},
    {__NR_move_mount, Rule::kDeny}, {442 /* mount_setattr */, Rule::kDeny},
    {__NR_swapon, Rule::kDeny}, {__NR_swapoff, Rule::kDeny}, {__NR_quotactl, Rule::kDeny},
    {443 /* quotactl_fd */, Rule::kDeny}, {__NR_acct, Rule::kDeny},
    // namespaces; clone3 hides its flags behind a pointer, so libc must fall back to clone
    {__NR_unshare, Rule::kDeny}, {__NR_setns, Rule::kDeny}, {__NR_clone, Rule::kClone},
    {435 /* clone3 */, Rule::kNoSys},
    // kernel surface that user code has no business with
    {__NR_bpf, Rule::kDeny}, {__NR_perf_event_open, Rule::kDeny}, {__NR_userfaultfd, Rule::kDeny},
    {__NR_io_uring_setup, Rule::kDeny}, {__NR_io_uring_enter, Rule::kDeny},
    {__NR_io_uring_register, Rule::kDeny}, {__NR_keyctl, Rule::kDeny}, {__NR_add_key, Rule::kDeny},
    {__NR_request_key, Rule::kDeny}, {__NR_kexec_load, Rule::kDeny}, {__NR_kexec_file_load, Rule::kDeny},
    {__NR_init_module, Rule::kDeny}, {__NR_finit_module, Rule::kDeny}, {__NR_delete_module, Rule::kDeny},
    {__NR_fanotify_init, Rule::kDeny}, {__NR_syslog, Rule::kDeny}, {__NR_reboot, Rule::kDeny},
    {__NR_vhangup, Rule::kDeny}, {__NR_lookup_dcookie, Rule::kDeny}, {__NR_nfsservctl, Rule::kDeny},
    {__NR_personality, Rule::kPersonality},
    // reaching into other processes
    {__NR_ptrace, Rule::kDeny}, {__NR_process_vm_readv, Rule::kDeny}, {__NR_process_vm_writev, Rule::kDeny},
    {438 /* pidfd_getfd */, Rule::kDeny}, {__NR_kcmp, Rule::kDeny}, {440 /* process_madvise */, Rule::kDeny},
    {448 /* process_mrelease */, Rule::kDeny}, {__NR_prlimit64, Rule::kPrlimit},
    {__NR_migrate_pages, Rule::kDeny}, {__NR_move_pages, Rule::kDeny},
    {447 /* memfd_secret: memory that nobody can look into */, Rule::kNoSys},
    // files by handle walk past every mount
    {__NR_name_to_handle_at, Rule::kDeny}, {__NR_open_by_handle_at, Rule::kDeny},
    // clocks and names of the machine
    {__NR_settimeofday, Rule::kDeny}, {__NR_clock_settime, Rule::kDeny}, {__NR_clock_adjtime, Rule::kDeny},
    {__NR_adjtimex, Rule::kDeny}, {__NR_sethostname, Rule::kDeny}, {__NR_setdomainname, Rule::kDeny},
    // arguments decide
    {__NR_socket, Rule::kSocket}, {__NR_ioctl, Rule::kIoctl},
#if defined(__x86_64__)
    {__NR_iopl, Rule::kDeny}, {__NR_ioperm, Rule::kDeny}, {__NR_modify_ldt, Rule::kDeny},
    {__NR_uselib, Rule::kDeny}, {__NR_ustat, Rule::kDeny}, {__NR__sysctl, Rule::kDeny},
    {__NR_create_module, Rule::kDeny}, {__NR_get_kernel_syms, Rule::kDeny},
    {__NR_query_module, Rule::kDeny},
#endif
};

struct Range {
  std::uint32_t first;
  Rule rule;
};

consteval auto ranges() {
  constexpr std::size_t kCount = std::size(kEntries);
  std::array<Entry, kCount> sorted{};
  std::copy(std::begin(kEntries), std::end(kEntries), sorted.begin());
  std::sort(sorted.begin(), sorted.end(), [](Entry a, Entry b) { return a.number < b.number; });
  std::array<Range, 2 * kCount + 2> out{};
  std::size_t used = 0;
  auto add = [&](std::uint32_t first, Rule rule) {
    if (used == 0 || out[used - 1].rule != rule) out[used++] = {first, rule};
  };
  std::uint32_t next = 0;
  for (Entry entry : sorted) {
    if (entry.number > next) add(next, Rule::kAllow);
    add(entry.number, entry.rule);
    next = entry.number + 1;
  }
  add(next, Rule::kAllow);
  add(kLastKnown + 1, Rule::kNoSys);
  return std::pair(out, used);
}

constexpr auto kRanges = ranges();
constexpr std::uint32_t kNewNamespaces = 0x7e020000;  // CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}

struct Program {
  std::array<sock_filter, 512> code{};
  std::size_t size = 0;

  consteval void add(std::uint16_t op, std::uint32_t k, std::size_t yes = 0, std::size_t no = 0) {
    if (yes > 255 || no > 255) __builtin_trap();  // not constant: stops the build
    code[size++] = {op, static_cast<std::uint8_t>(yes), static_cast<std::uint8_t>(no), k};
  }
  consteval void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  // The lower half of an argument: what the kernel itself looks at for ints.
  consteval void load_argument(unsigned index) { load(offsetof(seccomp_data, args) + 8 * index); }
  consteval void allow() { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
  consteval void refuse(int error) { add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }
  consteval void equals(std::uint32_t value, std::size_t yes, std::size_t no) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
  }

  consteval void leaf(Rule rule) {
    switch (rule) {
      case Rule::kAllow: allow(); return;
      case Rule::kDeny: refuse(EPERM); return;
      case Rule::kNoSys: refuse(ENOSYS); return;
      case Rule::kClone:
        load_argument(0);
        add(BPF_JMP | BPF_JSET | BPF_K, kNewNamespaces, 0, 1);
        refuse(EPERM);
        allow();
        return;
      case Rule::kPrlimit:  // another process's limits are not ours to change; 0 is oneself
        load_argument(0);
        equals(0, 1, 0);
        refuse(EPERM);
        allow();
        return;
      case Rule::kPersonality:  // 0 is PER_LINUX, all ones asks
        load_argument(0);
        equals(0, 2, 0);
        equals(0xffffffff, 1, 0);
        refuse(EPERM);
        allow();
        return;
      case Rule::kIoctl:  // typing into a terminal, and swapping its line discipline
        load_argument(1);
        equals(TIOCSTI, 2, 0);
        equals(TIOCLINUX, 1, 0);
        equals(TIOCSETD, 0, 1);
        refuse(EPERM);
        allow();
        return;
      case Rule::kSocket:  // AF_NETLINK only for routes (protocol 0): os.networkInterfaces() needs it
        load_argument(0);
        equals(AF_UNIX, 6, 0);
        equals(AF_INET, 5, 0);
        equals(AF_INET6, 4, 0);
        equals(AF_NETLINK, 0, 2);
        load_argument(2);
        equals(0, 1, 0);
        refuse(EAFNOSUPPORT);
        allow();
        return;
    }
  }

  // Decides among ranges [first, last): the right half lies behind the left one.
  consteval void tree(std::size_t first, std::size_t last) {
    if (last - first == 1) {
      leaf(kRanges.first[first].rule);
      return;
    }
    std::size_t middle = first + (last - first) / 2;
    std::size_t jump = size;
    add(BPF_JMP | BPF_JGE | BPF_K, kRanges.first[middle].first);
    tree(first, middle);
    if (size - jump - 1 > 255) __builtin_trap();
    code[jump].jt = static_cast<std::uint8_t>(size - jump - 1);
    tree(middle, last);
  }
};

consteval Program build() {
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.equals(kArch, 1, 0);
  program.add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);  // 32-bit calls: other numbers, other holes
  program.load(offsetof(seccomp_data, nr));
  program.tree(0, kRanges.second);  // x32 numbers lie above kLastKnown
  return program;
}

constexpr Program kProgram = build();

}  // namespace

int install_seccomp() noexcept {
  sock_fprog filter{static_cast<unsigned short>(kProgram.size), const_cast<sock_filter*>(kProgram.code.data())};
  if (::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) return errno;
  return 0;
}

}  // namespace atl::confine
