#include "api/common/range.hpp"

#include <algorithm>
#include <optional>

#include "api/common/text.hpp"
#include "http/message.hpp"

namespace atl::api {

namespace {

// A position that no file has is still one; whatever has no digits alone is none.
std::optional<std::uint64_t> position(std::string_view text) {
  bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  if (!digits) return std::nullopt;
  return to_number(text).value_or(UINT64_MAX);
}

}  // namespace

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
    auto count = position(to);
    if (!count) return {};
    if (*count == 0 || size == 0) return {.kind = ByteRange::Kind::kUnsatisfiable};
    return {ByteRange::Kind::kPart, size - std::min(size, *count), size - 1};
  }
  auto first = position(from);
  auto last = to.empty() ? UINT64_MAX : position(to);
  if (!first || !last || *last < *first) return {};
  if (*first >= size) return {.kind = ByteRange::Kind::kUnsatisfiable};
  return {ByteRange::Kind::kPart, *first, std::min(*last, size - 1)};
}

}  // namespace atl::api
