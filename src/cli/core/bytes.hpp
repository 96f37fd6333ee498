// Bytes of a program's output as text: UTF-8 checked and repaired.
#pragma once

#include <string>
#include <string_view>

namespace atl::cli {

// Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view bytes);
// One U+FFFD for each maximal part of a broken sequence, as Unicode recommends and Python does.
std::string to_utf8(std::string_view bytes);

}  // namespace atl::cli
