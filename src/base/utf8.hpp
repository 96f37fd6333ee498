// Text that came from programs is bytes; JSON is UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace atl {

bool is_utf8(std::string_view bytes);
// Every byte that belongs to no character becomes U+FFFD; the rest stays.
std::string to_utf8(std::string_view bytes);
// The size of the character at the front, 0 when it is none (overlong forms and surrogates are
// none).
std::size_t utf8_character(std::string_view bytes);

}  // namespace atl
