#include "confine/call_list.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace atl::confine {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kArch = AUDIT_ARCH_AARCH64;
#endif

}  // namespace

int allow_only_calls(std::span<const int> calls, std::span<const int> families) {
  std::vector<sock_filter> code;
  auto add = [&](std::uint16_t op, std::uint32_t k, std::size_t yes = 0, std::size_t no = 0) {
    code.push_back({op, static_cast<std::uint8_t>(yes), static_cast<std::uint8_t>(no), k});
  };
  constexpr std::uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
  constexpr std::uint16_t kEqual = BPF_JMP | BPF_JEQ | BPF_K;
  constexpr std::uint16_t kReturn = BPF_RET | BPF_K;
  add(kLoad, offsetof(seccomp_data, arch));
  add(kEqual, kArch, 1, 0);
  add(kReturn, SECCOMP_RET_KILL_PROCESS);
  add(kLoad, offsetof(seccomp_data, nr));
  // Memory, as long as nothing in it is to be run.
  add(kEqual, SYS_mmap, 1, 0);
  add(kEqual, SYS_mprotect, 0, 4);
  add(kLoad, offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t));
  add(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0);
  add(kReturn, SECCOMP_RET_ALLOW);
  add(kReturn, SECCOMP_RET_ERRNO | EPERM);
  if (!families.empty()) {
    add(kEqual, SYS_socket, 0, families.size() + 3);
    add(kLoad, offsetof(seccomp_data, args));
    for (std::size_t over = families.size(); int family : families) {
      add(kEqual, static_cast<std::uint32_t>(family), over--, 0);
    }
    add(kReturn, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
    add(kReturn, SECCOMP_RET_ALLOW);
  }
  for (int call : calls) {
    add(kEqual, static_cast<std::uint32_t>(call), 0, 1);
    add(kReturn, SECCOMP_RET_ALLOW);
  }
  add(kReturn, SECCOMP_RET_ERRNO | EPERM);
  sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}

}  // namespace atl::confine
