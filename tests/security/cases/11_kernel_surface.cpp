// Line 11: parts of the kernel that a sandbox has no business with. Where a call is refused to
// ordinary users anyway, the attack shows that it reached the call's own code: an errno from a
// check that comes before the privilege check.
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "attack.hpp"

namespace {

void io_uring_setup() {
  io_uring_params params{};
  attack::verdict(syscall(SYS_io_uring_setup, 1, &params), "io_uring_setup");
}
void io_uring_enter() {
  attack::reached(syscall(SYS_io_uring_enter, -1, 0, 0, 0, nullptr, 0), {EBADF, EINVAL},
                  "io_uring_enter");
}
void io_uring_register() {
  attack::reached(syscall(SYS_io_uring_register, -1, 0, nullptr, 0), {EBADF, EINVAL},
                  "io_uring_register");
}
// The size is looked at before the privileges.
void bpf_call() {
  static char attr[8192];
  attack::reached(syscall(SYS_bpf, BPF_MAP_CREATE, attr, sizeof attr), {E2BIG, EINVAL}, "bpf");
}
void userfault() {
  attack::verdict(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY), "userfaultfd");
}
void perf() {
  perf_event_attr attr{};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attack::verdict(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0), "perf_event_open");
}
void keyctl_call() { attack::verdict(syscall(SYS_keyctl, 0 /*GET_KEYRING_ID*/, -3, 1), "keyctl"); }
void add_key_call() {
  attack::verdict(syscall(SYS_add_key, "user", "attack", "x", 1UL, -2 /*process keyring*/),
                  "add_key");
}
void request_key_call() {
  attack::reached(syscall(SYS_request_key, "user", "no-such-key", nullptr, 0), {ENOKEY},
                  "request_key");
}

// Contexts of aio are counted for the whole host.
void aio_context() {
  aio_context_t context = 0;
  attack::verdict(syscall(SYS_io_setup, 1, &context), "io_setup");
}
void splice_memory() {
  int ends[2];
  if (pipe(ends) != 0) {
    attack::broken("pipe");
  }
  static char page[4096];
  iovec part{page, sizeof page};
  attack::verdict(syscall(SYS_vmsplice, ends[1], &part, 1, 0), "vmsplice");
}
void bind_memory() {
  void* page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  attack::verdict(syscall(SYS_mbind, page, 4096, 0 /*MPOL_DEFAULT*/, nullptr, 0, 0), "mbind");
}
void memory_policy() {
  attack::verdict(syscall(SYS_set_mempolicy, 0 /*MPOL_DEFAULT*/, nullptr, 0), "set_mempolicy");
}
// Says which pages of a file are in memory: whether others use it.
void cache_statistics() {
  attack::reached(syscall(451 /*cachestat*/, -1, nullptr, nullptr, 0), {EBADF}, "cachestat");
}
void file_system_types() { attack::verdict(syscall(SYS_sysfs, 3), "sysfs"); }
// The kernel looks for the protocol, and may load a module for it.
void upper_protocol() {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) {
    attack::broken("socket");
  }
  attack::reached(setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 3), {ENOENT, ENOTCONN}, "TCP_ULP");
}

pid_t sleeping_child() {
  pid_t pid = fork();
  if (pid < 0) {
    attack::broken("fork");
  }
  if (pid == 0) {
    alarm(20);
    pause();
    _exit(0);
  }
  return pid;
}
[[noreturn]] void finish(pid_t child, long result, const char* what) {
  int error = errno;
  kill(child, SIGKILL);
  errno = error;
  attack::verdict(result, what);
}
void ptrace_sibling() {
  pid_t child = sleeping_child();
  finish(child, ptrace(PTRACE_SEIZE, child, nullptr, nullptr), "ptrace(SEIZE)");
}
void ptrace_attach() {
  pid_t child = sleeping_child();
  finish(child, ptrace(PTRACE_ATTACH, child, nullptr, nullptr), "ptrace(ATTACH)");
}
void ptrace_traceme() {
  attack::verdict(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr), "ptrace(TRACEME)");
}

int g_secret = 42;
void vm_read() {
  pid_t child = sleeping_child();
  int copy = 0;
  iovec here{&copy, sizeof copy};
  iovec there{&g_secret, sizeof g_secret};
  finish(child, process_vm_readv(child, &here, 1, &there, 1, 0), "process_vm_readv");
}
void vm_write() {
  pid_t child = sleeping_child();
  int copy = 7;
  iovec here{&copy, sizeof copy};
  iovec there{&g_secret, sizeof g_secret};
  finish(child, process_vm_writev(child, &here, 1, &there, 1, 0), "process_vm_writev");
}
void pidfd_steal() {
  pid_t child = sleeping_child();
  long pidfd = syscall(SYS_pidfd_open, child, 0);
  if (pidfd < 0) {
    attack::broken("pidfd_open");
  }
  finish(child, syscall(SYS_pidfd_getfd, pidfd, 1, 0), "pidfd_getfd");
}
void compare() {
  pid_t child = sleeping_child();
  finish(child, syscall(SYS_kcmp, getpid(), child, 0 /*KCMP_FILE*/, 1, 1), "kcmp");
}

struct Handle {
  file_handle head;
  char room[MAX_HANDLE_SZ];
};
void name_handle() {
  Handle handle{};
  handle.head.handle_bytes = MAX_HANDLE_SZ;
  int mount_id = 0;
  attack::verdict(syscall(SYS_name_to_handle_at, AT_FDCWD, "/tmp", &handle, &mount_id, 0),
                  "name_to_handle_at");
}
// A bad mount descriptor is noticed before the missing capability.
void open_handle() {
  Handle handle{};
  handle.head.handle_bytes = 8;
  handle.head.handle_type = 1;
  attack::reached(syscall(SYS_open_by_handle_at, -1, &handle, O_RDONLY), {EBADF, ESTALE, EINVAL},
                  "open_by_handle_at");
}
void quota() {
  attack::reached(syscall(SYS_quotactl, 0x7fffffff, nullptr, 0, nullptr), {EINVAL, ENODEV, ENOENT},
                  "quotactl");
}
void quota_fd() {
  attack::reached(syscall(SYS_quotactl_fd, -1, 0, 0, nullptr), {EBADF, EINVAL}, "quotactl_fd");
}
void swap_on() { attack::reached(syscall(SYS_swapon, nullptr, -1), {EINVAL, EFAULT}, "swapon"); }
void io_privilege() { attack::reached(syscall(SYS_iopl, 99), {EINVAL}, "iopl"); }
void io_ports() { attack::reached(syscall(SYS_ioperm, 0x7fffffffUL, 1UL, 1), {EINVAL}, "ioperm"); }
void persona() {
  if (personality(ADDR_NO_RANDOMIZE) < 0) {
    attack::stopped(errno, "personality(ADDR_NO_RANDOMIZE)");
  }
  if ((personality(0xffffffff) & ADDR_NO_RANDOMIZE) == 0) {
    attack::holds("personality did not change");
  }
  attack::through("address space randomisation is off for what we start");
}
void accounting() {
  attack::reached(syscall(SYS_acct, reinterpret_cast<const char*>(1)), {EFAULT}, "acct");
}
void kexec() {
  attack::reached(syscall(SYS_kexec_load, 0, 0, nullptr, 0xffff), {EINVAL}, "kexec_load");
}
void module() {
  attack::reached(syscall(SYS_finit_module, -1, "", 0xffff), {EINVAL, EBADF}, "finit_module");
}
void module_old() {
  attack::reached(syscall(SYS_init_module, nullptr, 0UL, ""), {EINVAL, EFAULT, ENOEXEC},
                  "init_module");
}
void kernel_log() { attack::reached(syscall(SYS_syslog, 3, nullptr, -1), {EINVAL}, "syslog"); }
void fanotify() {
  attack::verdict(syscall(SYS_fanotify_init, 0x200 /*FID*/, O_RDONLY), "fanotify_init");
}
void dcookie() {
  attack::reached(syscall(SYS_lookup_dcookie, 0UL, nullptr, 0UL), {EINVAL, EFAULT},
                  "lookup_dcookie");
}
void migrate() {
  attack::reached(syscall(SYS_migrate_pages, 0, 0UL, nullptr, nullptr), {EFAULT, EINVAL, ENODEV},
                  "migrate_pages");
}
void move_own_pages() {
  attack::verdict(syscall(SYS_move_pages, 0, 0UL, nullptr, nullptr, nullptr, 0), "move_pages");
}
void process_madv() {
  attack::reached(syscall(SYS_process_madvise, -1, nullptr, 0UL, 8, 0), {EBADF, EINVAL},
                  "process_madvise");
}
// Numbers that x86-64 skipped and that later kernels fill: as unknown as those above the last one.
// 335 and 336, uretprobe and uprobe, are left out: the kernel lets them past every filter (6.14 and
// later) and refuses them itself outside of a probe.
void gap_numbers() {
  for (long number = 337; number < 424; ++number) {
    errno = 0;
    if (syscall(number, 0, 0, 0, 0, 0, 0) >= 0 || errno != ENOSYS) {
      attack::through("system call %ld said %s", number, strerrorname_np(errno));
    }
  }
  attack::stopped(ENOSYS, "numbers in the gap");
}

// A number no kernel knows must look like one the kernel does not know.
void unknown_numbers() {
  for (long number : {480L, 512L, 547L, 600L, 1000L, 0x3fffffffL}) {
    errno = 0;
    if (syscall(number, 0, 0, 0, 0, 0, 0) >= 0 || errno != ENOSYS) {
      attack::through("system call %ld said %s", number, strerrorname_np(errno));
    }
  }
  attack::stopped(ENOSYS, "unknown numbers");
}

// The x32 door: the same calls under other numbers. getpid is 39.
void x32() {
  long pid = syscall(0x40000000L | 39);
  attack::verdict(pid, "getpid by its x32 number");
}
// x32 numbers of what is refused: even where getpid passes, these must not.
void x32_unshare() {
  attack::verdict(syscall(0x40000000L | SYS_unshare, CLONE_NEWUSER), "unshare by its x32 number");
}

// The 32-bit door: int 0x80 from a 64-bit program. A filter that kills shows as a signal.
[[noreturn]] void by_int80(long number, long first, const char* what) {
  int status = attack::in_child([=] {
    long result = number;
    asm volatile("int $0x80" : "+a"(result) : "b"(first) : "memory", "r8", "r9", "r10", "r11");
    if (result >= 0) {
      _exit(0);
    }
    _exit(result > -100 ? static_cast<int>(-result) : 99);
  });
  if (WIFSIGNALED(status)) {
    attack::stopped_by_signal(WTERMSIG(status), what);
  }
  if (WEXITSTATUS(status) != 0) {
    attack::stopped(WEXITSTATUS(status), what);
  }
  attack::through("%s", what);
}
void int80() { by_int80(20, 0, "getpid by int 0x80"); }
void int80_unshare() { by_int80(310, CLONE_NEWUSER, "unshare by int 0x80"); }

constexpr attack::Attack kAttacks[] = {
    {"io_uring_setup", io_uring_setup},
    {"io_uring_enter", io_uring_enter},
    {"io_uring_register", io_uring_register},
    {"bpf", bpf_call},
    {"userfaultfd", userfault},
    {"perf_event_open", perf},
    {"keyctl", keyctl_call},
    {"add_key", add_key_call},
    {"request_key", request_key_call},
    {"io_setup", aio_context},
    {"vmsplice", splice_memory},
    {"mbind", bind_memory},
    {"set_mempolicy", memory_policy},
    {"cachestat", cache_statistics},
    {"sysfs", file_system_types},
    {"tcp_ulp", upper_protocol},
    {"ptrace_seize", ptrace_sibling},
    {"ptrace_attach", ptrace_attach},
    {"ptrace_traceme", ptrace_traceme},
    {"process_vm_readv", vm_read},
    {"process_vm_writev", vm_write},
    {"pidfd_getfd", pidfd_steal},
    {"kcmp", compare},
    {"name_to_handle_at", name_handle},
    {"open_by_handle_at", open_handle},
    {"quotactl", quota},
    {"quotactl_fd", quota_fd},
    {"swapon", swap_on},
    {"iopl", io_privilege},
    {"ioperm", io_ports},
    {"personality", persona},
    {"acct", accounting},
    {"kexec_load", kexec},
    {"finit_module", module},
    {"init_module", module_old},
    {"syslog", kernel_log},
    {"fanotify_init", fanotify},
    {"lookup_dcookie", dcookie},
    {"migrate_pages", migrate},
    {"move_pages", move_own_pages},
    {"process_madvise", process_madv},
    {"gap_numbers", gap_numbers},
    {"unknown_numbers", unknown_numbers},
    {"x32", x32},
    {"x32_unshare", x32_unshare},
    {"int80", int80},
    {"int80_unshare", int80_unshare},
};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
