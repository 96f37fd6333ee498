#include "confine/guard.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace atl::confine {

int install_guard(int guest_pid) noexcept {
  auto pid = static_cast<std::uint32_t>(guest_pid);
  // Whose first argument is a pid. pidfd_send_signal takes any descriptor of /proc/PID, so it does
  // not exist; F_SETSIG makes a file's owner, which may be anybody, get any signal.
  constexpr auto kByPid = std::to_array<std::uint32_t>(
      {__NR_kill, __NR_tkill, __NR_tgkill, __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo,
       434 /* pidfd_open */, __NR_sched_setparam, __NR_sched_setscheduler, __NR_sched_setaffinity,
       __NR_sched_setattr});
  // Where there is no IPC namespace, what these make is anybody's, and outlives the sandbox.
  constexpr std::uint32_t kNever[] = {__NR_shmget, __NR_msgget, __NR_semget, __NR_mq_open};
  constexpr std::uint8_t kCount = std::size(kByPid), kNevers = std::size(kNever);
  sock_filter code[kNevers + kCount + 13];
  unsigned short size = 0;
  auto add = [&](std::uint16_t op, std::uint32_t k, int yes = 0, int no = 0) {
    code[size++] = {op, static_cast<std::uint8_t>(yes), static_cast<std::uint8_t>(no), k};
  };
  constexpr std::uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
  constexpr std::uint16_t kEquals = BPF_JMP | BPF_JEQ | BPF_K;
  constexpr std::uint16_t kReturn = BPF_RET | BPF_K;
  constexpr std::uint32_t kFirst = offsetof(seccomp_data, args);
  add(kLoad, offsetof(seccomp_data, nr));
  for (std::uint8_t i = 0; i < kNevers; ++i) add(kEquals, kNever[i], kNevers - i + kCount + 10);
  for (std::uint8_t i = 0; i < kCount; ++i) add(kEquals, kByPid[i], kCount - i + 5);
  add(kEquals, __NR_fcntl, 2);
  add(kEquals, 424 /* pidfd_send_signal */, 0, 3);
  add(kReturn, SECCOMP_RET_ERRNO | ENOSYS);
  add(kLoad, kFirst + 8);
  add(kEquals, F_SETSIG, 6);
  add(kReturn, SECCOMP_RET_ALLOW);
  add(kLoad, kFirst);
  add(kEquals, pid, 3);
  add(kEquals, 0u - pid, 2);
  add(kEquals, ~0u, 1);
  add(kReturn, SECCOMP_RET_ALLOW);
  add(kReturn, SECCOMP_RET_ERRNO | EPERM);
  sock_fprog filter{size, code};
  return ::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}

}  // namespace atl::confine
