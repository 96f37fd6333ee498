// A Landlock domain that only scopes signals and abstract Unix sockets: code inside cannot signal
// the guest, not even with kill(-1, 9). Path and network rules stay out: they break `mv` and local
// servers, and the mount and network namespaces do that work.
#pragma once

namespace atl::confine {

// 0, or an errno (ENOSYS and EOPNOTSUPP: this kernel has no scopes, ABI 6 does, Linux 6.12). Safe
// between fork and exec.
int enter_landlock_scopes() noexcept;

}  // namespace atl::confine
