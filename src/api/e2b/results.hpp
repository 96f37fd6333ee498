// What code printed, showed and raised, as lines of the interpreter's answer: one JSON object each,
// in ASCII, because clients decode each chunk of it on its own. Pure.
#pragma once

#include <string>
#include <string_view>

#include "model/session.hpp"

namespace atl::api::e2b {

// A MIME bundle as JSON; nothing that is no object gives an empty result.
std::string result_line(bool is_main, std::string_view bundle);
// {"ename", "evalue", "traceback"} as JSON.
std::string error_line(std::string_view error);
std::string error_line(std::string_view name, std::string_view text);
std::string text_line(bool is_stdout, std::string_view text, model::Time at);
std::string count_line(std::uint64_t count);
inline constexpr std::string_view kKeepaliveLine = "{\"type\":\"keepalive\"}\n";
inline constexpr std::string_view kEndLine = "{\"type\":\"end_of_execution\"}\n";

}  // namespace atl::api::e2b
