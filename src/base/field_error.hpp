// An error that lies in one member of a request. The JSON pointer of the member travels with the
// error: clients see it beside the code.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace atl {

namespace detail {
inline constexpr std::string_view kFieldMark = "field ";
}

inline Error field_error(Code code, const std::string& pointer, std::string message) {
  return Error(code, std::move(message)).at(std::string(detail::kFieldMark) + pointer);
}

// "" of any other error.
inline std::string_view field_of(const Error& error) {
  if (error.trail().empty() || !error.trail().front().starts_with(detail::kFieldMark)) return {};
  return std::string_view(error.trail().front()).substr(detail::kFieldMark.size());
}

}  // namespace atl
