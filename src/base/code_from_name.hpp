// The Code behind a name that code_name() gave; kInternal for any other text.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hpp"

namespace atl {

inline Code code_from_name(std::string_view name) {
  for (std::uint16_t number = 0; number < 256; ++number) {
    Code code = code_from_number(number);
    if (code_name(code) == name) return code;
  }
  return Code::kInternal;
}

}  // namespace atl
