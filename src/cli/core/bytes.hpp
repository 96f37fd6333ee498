// Bytes of a program's output as text: UTF-8 checked and repaired, base64 for what is not text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atl::cli {

// Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view bytes);
// One U+FFFD for each maximal part of a broken sequence, as Unicode recommends and Python does.
std::string to_utf8(std::string_view bytes);
std::string base64(std::string_view bytes);
// nullopt when it is none; line breaks are skipped.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace atl::cli
