// The field Range (RFC 9110 §14) for one range of bytes. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace atl::api {

struct ByteRange {
  enum class Kind {
    kWhole,          // none asked for, or a form that is passed over: several ranges, other units
    kPart,           // first..last, both inside
    kUnsatisfiable,  // 416
  };
  Kind kind = Kind::kWhole;
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  std::uint64_t length() const { return last - first + 1; }
};

ByteRange parse_range(std::string_view value, std::uint64_t size);

}  // namespace atl::api
