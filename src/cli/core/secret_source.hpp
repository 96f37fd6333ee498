// Where the value of a secret comes from: a variable or a file of the caller, never an argument,
// which every user of the machine can read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace atl::cli {

inline constexpr std::size_t kMaxSecret = std::size_t{64} * 1024;

// Of "@env:VAR" or "@file:PATH". kInvalidArgument for anything else; the value is in no error.
Result<std::string> read_secret(std::string_view source);
// Without one line break at its end; kInvalidArgument when nothing is left or it is too long.
Result<std::string> secret_value(std::string text);

}  // namespace atl::cli
