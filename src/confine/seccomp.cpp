#include "confine/seccomp.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

enum class Rule {
  kAllow,
  kDeny,
  kNoSys,
  kClone,
  kSetns,
  kSocket,
  kIoctl,
  kSetsockopt,
  kPrlimit,
  kPersonality,
  kMode1,
  kMode2,
  kOpen,
  kOpenAt,
};

// Younger numbers than this one nobody has looked at, so they do not exist.
constexpr std::uint32_t kLastKnown = 456;  // futex_requeue

// The rule of every number, allowed unless named here: family by family, for the reader.
consteval auto rules(bool zygote) {
  std::array<Rule, kLastKnown + 1> table{};
  auto set = [&](Rule rule, auto... numbers) { ((table[numbers] = rule), ...); };
  // mounts and roots
  set(Rule::kDeny, __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_fsopen,
      __NR_fsconfig, __NR_fsmount, __NR_fspick, __NR_open_tree, __NR_move_mount,
      442 /* mount_setattr */, __NR_swapon, __NR_swapoff, __NR_quotactl, 443 /* quotactl_fd */,
      __NR_acct);
  // namespaces; clone3 hides its flags behind a pointer, so libc must fall back to clone
  set(Rule::kDeny, __NR_unshare);
  set(zygote ? Rule::kSetns : Rule::kDeny, __NR_setns);
  set(Rule::kClone, __NR_clone);
  set(Rule::kNoSys, 435 /* clone3 */);
  // kernel surface that user code has no business with
  set(Rule::kDeny, __NR_bpf, __NR_perf_event_open, __NR_userfaultfd, __NR_io_uring_setup,
      __NR_io_uring_enter, __NR_io_uring_register, __NR_keyctl, __NR_add_key, __NR_request_key,
      __NR_kexec_load, __NR_kexec_file_load, __NR_init_module, __NR_finit_module,
      __NR_delete_module, __NR_fanotify_init, __NR_syslog, __NR_reboot, __NR_vhangup,
      __NR_lookup_dcookie, __NR_nfsservctl, __NR_vmsplice, 451 /* cachestat */);
  // aio's contexts are counted for the whole host, not per sandbox
  set(Rule::kDeny, __NR_io_setup);
  // memory policies: many bugs, and no use on a sandbox's few cores
  set(Rule::kDeny, __NR_mbind, __NR_set_mempolicy, 450 /* set_mempolicy_home_node */);
  set(Rule::kPersonality, __NR_personality);
  // reaching into other processes; memfd_secret is memory that nobody can look into
  set(Rule::kDeny, __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev,
      438 /* pidfd_getfd */, __NR_kcmp, 440 /* process_madvise */, 448 /* process_mrelease */,
      __NR_migrate_pages, __NR_move_pages);
  set(Rule::kPrlimit, __NR_prlimit64);
  set(Rule::kNoSys, 447 /* memfd_secret */);
  // files by handle walk past every mount
  set(Rule::kDeny, __NR_name_to_handle_at, __NR_open_by_handle_at);
  // set-user-id files, which a mount would show to the host as its owner's: mode in this argument,
  // or behind flags that create
  set(Rule::kMode1, __NR_fchmod);
  set(Rule::kMode2, __NR_fchmodat, 452 /* fchmodat2 */, __NR_mknodat);
  set(Rule::kOpenAt, __NR_openat);
  // clocks and names of the machine
  set(Rule::kDeny, __NR_settimeofday, __NR_clock_settime, __NR_clock_adjtime, __NR_adjtimex,
      __NR_sethostname, __NR_setdomainname);
  // arguments decide
  set(Rule::kSocket, __NR_socket, __NR_socketpair);
  set(Rule::kIoctl, __NR_ioctl);
  set(Rule::kSetsockopt, __NR_setsockopt);
#if defined(__x86_64__)
  set(Rule::kDeny, __NR_iopl, __NR_ioperm, __NR_modify_ldt, __NR_uselib, __NR_ustat, __NR_sysfs,
      __NR__sysctl, __NR_create_module, __NR_get_kernel_syms, __NR_query_module);
  set(Rule::kMode1, __NR_chmod, __NR_creat, __NR_mknod);
  set(Rule::kOpen, __NR_open);
  for (unsigned gap = 335; gap < 424; ++gap)
    set(Rule::kNoSys, gap);  // as unknown as the young ones
#endif
  return table;
}

struct Range {
  std::uint32_t first;
  Rule rule;
};

struct Ranges {
  std::array<Range, kLastKnown + 2> list{};
  std::size_t size = 0;
};

consteval Ranges ranges(bool zygote) {
  auto table = rules(zygote);
  Ranges out;
  for (std::uint32_t number = 0; number <= kLastKnown + 1; ++number) {
    Rule rule = number <= kLastKnown ? table[number] : Rule::kNoSys;
    if (out.size == 0 || out.list[out.size - 1].rule != rule) out.list[out.size++] = {number, rule};
  }
  return out;
}

constexpr std::uint32_t kNewNamespaces = 0x7e020000;  // CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}

// FIOSETOWN to SIOCGSTAMPNS, then SIOCGIF…, SIOCETHTOOL and SIOCGIFTXQLEN.
constexpr auto kAskSockets = std::to_array<std::uint32_t>(
    {0x8901, 0x8902, 0x8903, 0x8904, 0x8905, 0x8906, 0x8907, 0x8910, 0x8912, 0x8913, 0x8915,
     0x8917, 0x8919, 0x891b, 0x891d, 0x8921, 0x8927, 0x8933, 0x8942, 0x8946, 0x8954, 0x8970});
// IPPROTO_TCP: ULP; IPPROTO_IP and IPPROTO_IPV6: the ways to join a group,
// and the tables of netfilter.
constexpr auto kNoOptions = std::to_array<std::uint32_t>(
    {6 << 8 | 31, 35, 39, 42, 46, 64, 65, 96, 97, 128, 129, 41 << 8 | 20, 41 << 8 | 27,
     41 << 8 | 35, 41 << 8 | 42, 41 << 8 | 46, 41 << 8 | 64, 41 << 8 | 65});

struct Program {
  std::array<sock_filter, 512> code{};
  std::size_t size = 0;

  consteval void add(std::uint16_t op, std::uint32_t k, std::size_t yes = 0, std::size_t no = 0) {
    if (yes > 255 || no > 255) __builtin_trap();  // not constant: stops the build
    code[size++] = {op, static_cast<std::uint8_t>(yes), static_cast<std::uint8_t>(no), k};
  }
  consteval void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  // The lower half of an argument: what the kernel itself looks at for ints.
  consteval void load_argument(std::size_t index) {
    load(offsetof(seccomp_data, args) + 8 * index);
  }
  consteval void answer(std::uint32_t action) { add(BPF_RET | BPF_K, action); }
  consteval void refuse(std::uint32_t error) { answer(SECCOMP_RET_ERRNO | error); }
  consteval void equals(std::uint32_t value, std::size_t yes, std::size_t no) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
  }

  // Falls through to a refusal when the mode in `argument` sets an id, and jumps over it otherwise.
  consteval void check_mode(std::size_t argument) {
    load_argument(argument);
    add(BPF_JMP | BPF_JSET | BPF_K, S_ISUID | S_ISGID, 0, 1);
  }
  // The mode counts only with flags that create: anything may lie there otherwise.
  consteval void check_open(std::size_t flags) {
    load_argument(flags);
    add(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 0, 3);
    check_mode(flags + 1);
  }

  // For a kind of socket that it does not have the kernel asks modprobe, as root of the host, and
  // nobody inside shall choose what the host loads: families, and under the two internet ones
  // types and protocols (SCTP, DCCP, L2TP), are known ones or refused.
  consteval void check_socket() {
    load_argument(0);
    equals(AF_UNIX, 16, 0);
    equals(AF_INET, 4, 0);
    equals(AF_INET6, 3, 0);
    equals(AF_NETLINK, 0, 12);
    load_argument(2);
    equals(0, 11, 10);  // routes only, for os.networkInterfaces()
    load_argument(1);
    add(BPF_ALU | BPF_AND | BPF_K, 0xf);  // without SOCK_CLOEXEC and the like
    add(BPF_JMP | BPF_JGT | BPF_K, SOCK_RAW, 6, 0);
    load_argument(2);
    // any, TCP, UDP, ICMP, ICMPv6
    for (std::size_t over = 6; std::uint32_t known : {0, 6, 17, 1, 58}) equals(known, over--, 0);
    refuse(EPROTONOSUPPORT);
  }

  // The mark of an execution (execution_mark.hpp) can be read and not set.
  consteval void check_mark() {
    equals(__NR_setrlimit, 0, 2);
    load_argument(0);
    equals(RLIMIT_LOCKS, 7, 8);
    equals(__NR_prlimit64, 0, 8);
    load_argument(1);
    equals(RLIMIT_LOCKS, 0, 5);
    load_argument(2);  // both halves of the pointer to the new limit
    equals(0, 0, 2);
    load(offsetof(seccomp_data, args) + 8 * 2 + 4);
    equals(0, 1, 0);
    refuse(EPERM);
    answer(SECCOMP_RET_ALLOW);
  }

  // Where arguments decide, the tests end in a refusal or jump over it.
  consteval void leaf(Rule rule) {
    std::uint32_t error = EPERM;
    switch (rule) {
      case Rule::kAllow: return answer(SECCOMP_RET_ALLOW);
      case Rule::kDeny: return refuse(EPERM);
      case Rule::kNoSys: return refuse(ENOSYS);
      case Rule::kClone:
        load_argument(0);
        add(BPF_JMP | BPF_JSET | BPF_K, kNewNamespaces, 0, 1);
        break;
      case Rule::kSetns:  // a zygote enters a sandbox whole, never one namespace of it
        load_argument(1);
        equals(kNewNamespaces, 1, 0);
        break;
      case Rule::kSetsockopt:
        // Of level and option together: TCP_ULP has the kernel load a module of the caller's
        // choice; groups of multicast are joined and left under a lock of the whole host.
        load_argument(1);
        add(BPF_ALU | BPF_LSH | BPF_K, 8);
        add(BPF_MISC | BPF_TAX, 0);
        load_argument(2);
        add(BPF_ALU | BPF_ADD | BPF_X, 0);
        for (std::size_t over = kNoOptions.size(); std::uint32_t one : kNoOptions)
          equals(one, over--, 0);
        add(BPF_JMP | BPF_JA, 1);
        break;
      case Rule::kPrlimit:  // another process's limits are not ours to change; 0 is oneself
        load_argument(0);
        equals(0, 1, 0);
        break;
      case Rule::kPersonality:  // 0 is PER_LINUX, all ones asks
        load_argument(0);
        equals(0, 2, 0);
        equals(0xffffffff, 1, 0);
        break;
      case Rule::kMode1: check_mode(1); break;
      case Rule::kMode2: check_mode(2); break;
      case Rule::kOpen: check_open(1); break;
      case Rule::kOpenAt: check_open(2); break;
      case Rule::kIoctl:  // typing into a terminal, and swapping its line discipline
        load_argument(1);
        for (std::size_t over = kAskSockets.size() + 4;
             std::uint32_t one : {TIOCSTI, TIOCLINUX, TIOCSETD})
          equals(one, over--, 0);
        // Of those about sockets and networks only questions: others change a network namespace,
        // also one that its owner has a socket of, or make the host load modules.
        add(BPF_JMP | BPF_JGE | BPF_K, 0x8900, 0, kAskSockets.size() + 2);
        add(BPF_JMP | BPF_JGT | BPF_K, 0x89ff, kAskSockets.size() + 1, 0);
        for (std::size_t over = kAskSockets.size(); std::uint32_t one : kAskSockets)
          equals(one, over--, 0);
        break;
      case Rule::kSocket:
        check_socket();
        error = EAFNOSUPPORT;
        break;
    }
    refuse(error);
    answer(SECCOMP_RET_ALLOW);
  }

  // Decides among ranges [first, last): the right half lies behind the left one.
  consteval void tree(const Ranges& all, std::size_t first, std::size_t last) {
    if (last - first == 1) return leaf(all.list[first].rule);
    std::size_t middle = first + (last - first) / 2;
    std::size_t jump = size;
    add(BPF_JMP | BPF_JGE | BPF_K, all.list[middle].first);
    tree(all, first, middle);
    if (size - jump - 1 > 255) __builtin_trap();
    code[jump].jt = static_cast<std::uint8_t>(size - jump - 1);
    tree(all, middle, last);
  }
};

consteval Program build(bool zygote) {
  Program program;
  Ranges all = ranges(zygote);
  program.load(offsetof(seccomp_data, arch));
  program.equals(kArch, 1, 0);
  program.answer(SECCOMP_RET_KILL_PROCESS);  // 32-bit calls: other numbers, other holes
  program.load(offsetof(seccomp_data, nr));
  program.tree(all, 0, all.size);  // x32 numbers lie above kLastKnown
  return program;
}

constexpr Program kProgram = build(false);
constexpr Program kZygoteProgram = build(true);

// openat2 hides its mode behind a pointer. The guest needs it, so the refusal is a filter of its
// own. Pid 1 is the guest, which has the program's uid where there are no capabilities: how it is
// scheduled is not the program's to say.
consteval Program build_for_user(bool marked) {
  Program program;
  program.load(offsetof(seccomp_data, nr));
  program.equals(437 /* openat2 */, 0, 1);
  program.refuse(ENOSYS);
  if (marked) program.check_mark();
  for (std::size_t over = 4; std::uint32_t number : {__NR_sched_setparam, __NR_sched_setscheduler,
                                                     __NR_sched_setaffinity, __NR_sched_setattr})
    program.equals(number, over--, 0);
  program.answer(SECCOMP_RET_ALLOW);
  program.load_argument(0);
  program.equals(1, 0, 1);
  program.refuse(EPERM);
  program.answer(SECCOMP_RET_ALLOW);
  return program;
}

constexpr Program kUserProgram = build_for_user(false);
constexpr Program kMarkedProgram = build_for_user(true);

int install(const Program& program) {
  sock_fprog filter{static_cast<unsigned short>(program.size),
                    const_cast<sock_filter*>(program.code.data())};
  return ::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}

}  // namespace

int install_seccomp() noexcept { return install(kProgram); }

int install_zygote_seccomp() noexcept { return install(kZygoteProgram); }

int install_user_seccomp(bool marked) noexcept {
  return install(marked ? kMarkedProgram : kUserProgram);
}

}  // namespace atl::confine
