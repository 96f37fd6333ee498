// Whether a request to execute makes sense, before anything is done for it.
#pragma once

#include <string>

#include "base/result.hpp"
#include "control/requests.hpp"

namespace atl::control {

inline constexpr std::size_t kMaxCode = 8u << 20;
inline constexpr std::size_t kMaxCommand = 96 * 1024;
inline constexpr std::size_t kMaxArguments = 1024;
inline constexpr double kMaxSeconds = 24 * 3600;

// Puts in the canonical name of the language.
Result<void> check_request(ExecuteRequest& request, const std::string& default_language);
// What listings show of it: no environment, no input.
std::string describe_request(const ExecuteRequest& request);

}  // namespace atl::control
