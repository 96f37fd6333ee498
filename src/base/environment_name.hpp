// What a variable of an environment may be called, for everybody who takes one: the command line,
// the API and templates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace atl {

inline constexpr std::size_t kMaxEnvironmentName = 256;

// No `=`, no blanks and no control characters: programs write and read environments as lines.
inline bool is_environment_name(std::string_view name) {
  auto bad = [](char letter) {
    auto byte = static_cast<unsigned char>(letter);
    return byte <= ' ' || byte == '=' || byte == 0x7f;
  };
  return !name.empty() && name.size() <= kMaxEnvironmentName && std::ranges::none_of(name, bad);
}

inline bool is_environment_value(std::string_view value) {
  return value.find('\0') == std::string_view::npos;
}

}  // namespace atl
