// Whether a request to execute makes sense, before anything is done for it.
#pragma once

#include <chrono>
#include <string>

#include "base/result.hpp"
#include "control/requests.hpp"

namespace atl::control {

inline constexpr std::size_t kMaxCode = 8u << 20;
inline constexpr std::size_t kMaxCommand = 96 * 1024;
inline constexpr std::size_t kMaxArguments = 1024;

// Puts in the canonical name of the language.
Result<void> check_request(ExecuteRequest& request, const std::string& default_language,
                           std::chrono::seconds longest_time);
// What listings show of it: no environment, no input.
std::string describe_request(const ExecuteRequest& request);

}  // namespace atl::control
