#include "control/tool_text.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace atl::control {
namespace {

// Where the character after so many begins, and how many there are in all.
struct Counted {
  std::size_t cut = 0;
  std::size_t characters = 0;
};

Counted count(std::string_view text, std::size_t most) {
  Counted counted;
  for (std::size_t at = 0; at < text.size();) {
    if (counted.characters == most) counted.cut = at;
    at += std::max<std::size_t>(utf8_character(text.substr(at)), 1);
    ++counted.characters;
  }
  return counted;
}

}  // namespace

std::string tool_text(std::string_view stdout_text, std::string_view stderr_text, int exit_code,
                      std::size_t left_out) {
  std::string text;
  auto add = [&](std::string part) { text += (text.empty() ? "" : "\n") + part; };
  if (!stdout_text.empty()) add(std::string(stdout_text));
  if (!stderr_text.empty()) add("STDERR:\n" + std::string(stderr_text));
  if (exit_code != 0) add("\nExit code: " + std::to_string(exit_code));
  if (text.empty()) return "(no output)";
  Counted counted = count(text, kToolCharacters);
  if (counted.characters <= kToolCharacters) return text;
  text.resize(counted.cut);
  return text + "\n... (truncated, " +
         std::to_string(counted.characters - kToolCharacters + left_out) + " more chars)";
}

}  // namespace atl::control
