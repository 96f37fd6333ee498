// Trying things out in a child process, and reading small kernel files. For doctor only.
#pragma once

#include <optional>
#include <string>

namespace atl::cli {

// Runs `attempt` in a new child, made with these clone flags; gives the errno it returned, 0 for
// success. A child that dies counts as EFAULT.
int errno_in_child(int clone_flags, int (*attempt)());
// The same inside a new user namespace in which the caller is root.
int errno_in_user_namespace(int clone_flags, int (*attempt)());

// The content without the last newline; nullopt when it cannot be read.
std::optional<std::string> small_file(const std::string& path);
bool writable(const std::string& path);

}  // namespace atl::cli
