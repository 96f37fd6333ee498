// Text in a field of a fixed-size request.
#pragma once

#include <array>
#include <cstring>
#include <string>

#include "base/result.hpp"

namespace atl::backends::native {

template <std::size_t N>
Result<void> copy_text(std::array<char, N>& into, const std::string& text, const char* what) {
  if (text.empty() || text.size() >= N || text.find('\0') != std::string::npos) {
    return fail(Code::kInvalidArgument,
                std::string(what) + " is empty or longer than " + std::to_string(N - 1) + " bytes");
  }
  std::memcpy(into.data(), text.data(), text.size());
  return {};
}

}  // namespace atl::backends::native
