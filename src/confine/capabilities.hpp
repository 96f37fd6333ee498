// Dropping capabilities, by raw system calls so that it is safe between clone and exec.
#pragma once

#include <cstdint>

namespace atl::confine {

// Keeps of what there is exactly `keep` (bits of 1 << CAP_…) in the permitted and effective sets,
// and with `exec` in the inheritable and bounding sets too; what is left of those and of the
// ambient set is emptied. 0, or an errno.
int keep_only_capabilities(std::uint64_t keep, bool exec = false) noexcept;
// Locks securebits so that no later uid change or exec brings capabilities back. 0, or an errno.
// Needs CAP_SETPCAP: call before keep_only_capabilities.
int lock_securebits() noexcept;
int set_no_new_privs() noexcept;

}  // namespace atl::confine
