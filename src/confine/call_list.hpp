// A system-call filter for programs of ours that need few calls: what is listed is allowed, memory
// that can be run is not to be had, and everything else answers EPERM.
#pragma once

#include <span>

namespace atl::confine {

// Filters this process and its children for good; needs no_new_privs. With `families`, socket() is
// allowed for these and answers EAFNOSUPPORT for others. 0, or an errno.
int allow_only_calls(std::span<const int> calls, std::span<const int> families = {});

}  // namespace atl::confine
