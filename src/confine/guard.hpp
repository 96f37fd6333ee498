// A second filter, for code that runs under the uid of a guest that is not pid 1: nothing that
// signals that pid, its group or everybody, and nothing that changes how it is scheduled. For
// kernels without Landlock's scopes, and for what these do not cover.
#pragma once

namespace atl::confine {

// Needs no_new_privs. 0, or an errno. Safe between fork and exec.
int install_guard(int guest_pid) noexcept;

}  // namespace atl::confine
