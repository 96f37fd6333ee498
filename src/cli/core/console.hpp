// Words to the person at the terminal: errors, warnings, colours. Plain write(2), no iostream.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace atl::cli {

enum class ColorMode { kAuto, kAlways, kNever };

// kAuto: colours when `fd` is a terminal, NO_COLOR is unset or empty, and TERM is not "dumb".
bool use_color(ColorMode mode, int fd);

// Words that may be somebody else's, a name in an archive or in a sandbox: what would command the
// terminal becomes '?'. Lines: a message may have several.
std::string printable(std::string text, bool with_lines = false);

// "atoll: <code>: <sentence>" and, on the next line, what to do about it.
std::string error_text(const Error& error, bool color, bool with_trail);
void print_error(const Error& error, ColorMode mode, bool with_trail = false);
void print_warning(std::string_view sentence, ColorMode mode);

// What a person can do about an error of this kind; empty when the sentence says it all.
std::string_view hint_for(Code code);

// Width of the terminal behind `fd`, 80 when there is none, within 60 to 100.
std::size_t text_width(int fd);

}  // namespace atl::cli
