// Texts that Python code computes from constants: escapes, and the methods and functions with which
// a name is usually hidden. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/syntax.hpp"
#include "policy/value.hpp"

namespace atl::policy {

bool string_is_raw(std::string_view literal);  // r"…", with its prefix and quotes
std::string unescaped(std::string_view content, bool raw);
std::optional<std::string> letter_of(std::string_view number);  // of chr(NUMBER)

// TEXT.name(first, second), or nothing where the result is not a text that this knows.
std::optional<std::string> method_text(const std::string& text, std::string_view name,
                                       const std::string* first, const std::string* second);
// path(first) of a function: chr, str, base64.b64decode, bytes.fromhex, codecs.decode.
std::optional<std::string> called_text(std::string_view path, const Values& first,
                                       const Node& argument);

}  // namespace atl::policy
