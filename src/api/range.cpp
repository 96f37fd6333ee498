#include "api/range.hpp"

#include <algorithm>

#include "api/text.hpp"
#include "http/message.hpp"

namespace atl::api {

ByteRange parse_range(std::string_view value, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (value.size() < kUnit.size() || !http::same_name(value.substr(0, kUnit.size()), kUnit)) {
    return {};
  }
  value.remove_prefix(kUnit.size());
  std::size_t hyphen = value.find('-');
  if (hyphen == std::string_view::npos || value.find(',') != std::string_view::npos) return {};
  std::string_view from = value.substr(0, hyphen);
  std::string_view to = value.substr(hyphen + 1);
  if (from.empty()) {  // the last so many
    auto count = to_number(to);
    if (!count) return {};
    if (*count == 0 || size == 0) return {.kind = ByteRange::Kind::kUnsatisfiable};
    return {ByteRange::Kind::kPart, size - std::min(size, *count), size - 1};
  }
  auto first = to_number(from);
  auto last = to.empty() ? UINT64_MAX : to_number(to);
  if (!first || !last || *last < *first) return {};
  if (*first >= size) return {.kind = ByteRange::Kind::kUnsatisfiable};
  return {ByteRange::Kind::kPart, *first, std::min(*last, size - 1)};
}

}  // namespace atl::api
