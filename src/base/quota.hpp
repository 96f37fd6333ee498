// A tenant has used up what it may have. The stable name of the quota and when it is worth trying
// again travel with the error: clients see them beside the code.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace atl {

inline Error quota_error(std::string quota, std::string message,
                         std::chrono::seconds again = std::chrono::seconds(1)) {
  Error error = Error(Code::kQuotaExceeded, std::move(message)).at(std::move(quota));
  return std::move(error).at(std::to_string(again.count()));
}

// "" of any other error.
inline std::string_view quota_of(const Error& error) {
  bool named = error.code() == Code::kQuotaExceeded && !error.trail().empty();
  return named ? std::string_view(error.trail().front()) : std::string_view();
}

// One second where the error does not say.
inline std::chrono::seconds retry_after(const Error& error) {
  std::int64_t seconds = 1;
  if (error.code() == Code::kQuotaExceeded && error.trail().size() > 1) {
    const std::string& text = error.trail()[1];
    (void)std::from_chars(text.data(), text.data() + text.size(), seconds);
  }
  return std::chrono::seconds(seconds);
}

}  // namespace atl
