// A tenant has used up what it may have. The stable name of the quota travels with the error:
// clients see it beside the code.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace atl {

inline Error quota_error(std::string quota, std::string message) {
  return Error(Code::kQuotaExceeded, std::move(message)).at(std::move(quota));
}

// "" of any other error.
inline std::string_view quota_of(const Error& error) {
  bool named = error.code() == Code::kQuotaExceeded && !error.trail().empty();
  return named ? std::string_view(error.trail().front()) : std::string_view();
}

}  // namespace atl
