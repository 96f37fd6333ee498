// The one place where Boost.JSON's own code is compiled, so that no shared library is needed.
#include "codec/json.hpp"

#include <cmath>

#include <boost/json/src.hpp>

#include "base/utf8.hpp"

namespace atl::codec {

std::expected<boost::json::value, DecodeError> parse(std::string_view text, Limits limits) {
  if (text.size() > limits.max_bytes) {
    return std::unexpected(
        DecodeError{.pointer = "",
                    .detail = "is larger than " + std::to_string(limits.max_bytes) + " bytes",
                    .code = Code::kTooLarge});
  }
  auto refuse = [](std::string detail) {
    return std::unexpected(DecodeError{.pointer = "", .detail = std::move(detail)});
  };
  boost::json::parse_options options;
  options.max_depth = limits.max_depth;
  boost::json::parser parser({}, options);
  boost::json::error_code error;
  std::size_t read = parser.write(text.data(), text.size(), error);
  if (error == boost::json::error::too_deep) {
    return refuse("is nested more than " + std::to_string(limits.max_depth) + " levels deep");
  }
  if (error == boost::json::error::extra_data)
    return refuse("goes on after its end, at byte " + std::to_string(read));
  if (error) return refuse("is not JSON, from byte " + std::to_string(read) + " on");
  return parser.release();
}

namespace detail {

boost::json::value json_string(std::string_view text) {
  if (is_utf8(text)) return boost::json::string(text.data(), text.size());
  std::string clean = to_utf8(text);
  return boost::json::string(clean.data(), clean.size());
}

boost::json::value json_number(double number) {
  if (!std::isfinite(number)) return nullptr;
  // As 512, not 512.0, for whoever reads it as a whole number.
  if (std::trunc(number) == number && std::abs(number) < 9007199254740992.0) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

void add_member(boost::json::object& object, std::string_view key, boost::json::value value) {
  std::string clean = is_utf8(key) ? std::string(key) : to_utf8(key);
  object.insert_or_assign(boost::json::string_view(clean.data(), clean.size()), std::move(value));
}

}  // namespace detail

}  // namespace atl::codec
