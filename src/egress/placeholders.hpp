// Placeholders of secrets, and the way back to the values. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace atl::egress {

// "atoll_secret_" and 32 hexadecimal digits: what a program in the sandbox sees of a secret.
inline constexpr std::string_view kPlaceholderPrefix = "atoll_secret_";
inline constexpr std::size_t kPlaceholderSize = kPlaceholderPrefix.size() + 32;
std::string new_placeholder();
bool is_placeholder(std::string_view text);
// The first in the text; empty: there is none.
std::string_view find_placeholder(std::string_view text);

// Values by placeholder: those that may go to the host of the request.
using SecretValues = std::map<std::string, std::string_view, std::less<>>;

struct Replaced {
  std::string value;
  bool changed = false;    // a placeholder became a value
  bool left = false;       // a placeholder stays: it is for other hosts, or of nobody
  bool too_large = false;  // it has more than `room` bytes with the values; `value` is cut
  std::string first_left;
};

// The value of the header `name` with values in the place of placeholders, also inside
// "Basic BASE64". A value whose secret has bytes that no header may have stays as it is.
Replaced replace_placeholders(std::string_view name, std::string_view value,
                              const SecretValues& values, std::size_t room = SIZE_MAX);

// Looks for placeholders in a stream, whatever pieces it comes in.
class PlaceholderFinder {
 public:
  // The first that these bytes complete; empty: none.
  std::string take(std::string_view bytes);

 private:
  std::string tail_;  // what a placeholder may have begun in
};

// Whether a header can carry it: no control characters but the tab.
bool fits_header(std::string_view value);

}  // namespace atl::egress
