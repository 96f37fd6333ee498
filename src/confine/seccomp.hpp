// The system-call filter of a sandbox: dangerous families are refused, unknown numbers and clone3
// answer ENOSYS, everything else is untouched. The program is computed at compile time: building a
// filter with a library takes 2 ms, installing a short one 0.05.
#pragma once

namespace atl::confine {

// Filters this process and its children for good; needs no_new_privs. 0, or an errno. Safe between
// fork and exec: no allocation.
int install_seccomp() noexcept;
// The same for a zygote, whose children must still enter sandboxes with setns; inside they add the
// filter above.
int install_zygote_seccomp() noexcept;
// What user code may not do on top of that, though the guest may. `marked`: nor change the mark of
// its execution.
int install_user_seccomp(bool marked) noexcept;

}  // namespace atl::confine
