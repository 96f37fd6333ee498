// Base64 with the usual alphabet and padding. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atl::codec {

std::string base64(std::string_view bytes);
// nullopt unless it is what base64() writes: no blanks, no missing padding, no bits beyond the end.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace atl::codec
