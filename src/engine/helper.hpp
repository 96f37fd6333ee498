// Programs beside the launcher that do the parts of its work that need not be done by a process
// that lives long: each is started for one order, answers it and ends. It gets one descriptor, a
// socket that holds its order: a fixed struct and descriptors.
#pragma once

#include <span>
#include <string_view>

#include "base/unique_fd.hpp"
#include "engine/failure.hpp"

namespace atl::engine {

inline constexpr int kHelperSocket = 3;  // as the helper numbers it

struct Helper {
  UniqueFd process;  // a pidfd
  UniqueFd socket;
};

// `step` is what a failure is called. Does not wait for the helper.
Outcome<Helper> start_helper(Step step, const UniqueFd& program, const char* name,
                             std::string_view order, std::span<const int> given);

// In a child: executes a program that gets the socket and, beside the standard ones, no other
// descriptor. Returns when it cannot.
void become(int program, int socket, const char* name) noexcept;

}  // namespace atl::engine
