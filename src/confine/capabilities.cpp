#include "confine/capabilities.hpp"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace atl::confine {

int keep_only_capabilities(std::uint64_t keep, bool exec) noexcept {
  // The kernel answers EINVAL beyond its last capability, EPERM without CAP_SETPCAP. Where nothing
  // is kept the bounding set may stay then: no_new_privs sees to it that it gives nothing.
  for (unsigned long cap = 0; cap < 64; ++cap) {
    if (exec && (keep >> cap & 1) != 0) continue;
    if (::prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0) continue;
    if (errno == EINVAL || (errno == EPERM && !exec)) break;
    return errno;
  }
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return errno;
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, sets) != 0) return errno;
  for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; ++i) {
    sets[i].permitted &= static_cast<std::uint32_t>(keep >> (32 * i));
    sets[i].effective = sets[i].permitted;
    sets[i].inheritable = exec ? sets[i].permitted : 0;
  }
  return ::syscall(SYS_capset, &header, sets) == 0 ? 0 : errno;
}

int lock_securebits() noexcept {
  constexpr unsigned long kBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                  SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                  SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  return ::prctl(PR_SET_SECUREBITS, kBits, 0, 0, 0) == 0 ? 0 : errno;
}

int set_no_new_privs() noexcept {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

}  // namespace atl::confine
