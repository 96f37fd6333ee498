// An execution as the text that an agent's tool hands to its model. Pure. The rules are those that
// agents of this kind were written for: both streams, the exit code when there is something to say
// about it, and an end after 10,000 characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace atl::control {

inline constexpr std::size_t kToolCharacters = 10'000;

// UTF-8 in, UTF-8 out; characters are counted, not bytes. `left_out`: those that were not given
// because the text is cut before them anyway.
std::string tool_text(std::string_view stdout_text, std::string_view stderr_text, int exit_code,
                      std::size_t left_out = 0);

}  // namespace atl::control
