// A system-call filter for programs of Atoll that need few calls: listed calls are allowed,
// executable memory cannot be made, and every other call fails with EPERM.
#pragma once

#include <span>

namespace atl::confine {

// Filters this process and its children for good; needs no_new_privs. With `families`, socket() is
// allowed for these and answers EAFNOSUPPORT for others. 0, or an errno.
int allow_only_calls(std::span<const int> calls, std::span<const int> families = {});

}  // namespace atl::confine
