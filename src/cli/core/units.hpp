// Sizes, times and numbers as people type them: 256m, 1.5g, 10s, 1m30s, 0.5. Everything that does
// not fit exactly is refused with a sentence; the option's name is added by the parser.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace atl::cli {

// Bytes. Units b, k, m, g, t (also kb, kib, …) are powers of 1024; without a unit, bytes.
Result<std::uint64_t> parse_size(std::string_view text);
// Units ms, s, m, h, d, also joined (1m30s); without a unit, seconds.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);
// A whole number, not negative.
Result<std::uint64_t> parse_count(std::string_view text);
// A decimal number such as 0.5, not negative, in thousandths.
Result<std::uint64_t> parse_milli(std::string_view text);

// 268435456 -> "256m": what parse_size reads back, rounded down to one decimal where it is not
// whole.
std::string format_size(std::uint64_t bytes);
// 500 -> "0.5", 2000 -> "2".
std::string format_milli(std::uint64_t thousandths);

}  // namespace atl::cli
