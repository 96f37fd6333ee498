// The languages that Atoll runs (contract §1): names, file suffixes, and how code of each is
// started in a sandbox. One row of the table is all that a language needs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace atl::drivers {

struct Language {
  std::string_view name;       // canonical
  std::string_view aliases;    // separated by spaces
  std::string_view suffixes;   // of files, separated by spaces
  std::string_view file_name;  // for code that comes without a name
  // Interpreters or compilers, separated by spaces; where there are several, or `build` is not
  // empty, the first one that is there is taken.
  std::string_view programs;
  std::string_view code_flag = {};  // PROGRAM code_flag CODE runs a string; empty: only files
  // Shell commands in which {program}, {file} and {out} stand for themselves: what must be done
  // first, and what to start then. Empty: PROGRAM FILE.
  std::string_view build = {};
  std::string_view start = {};
  bool has_context = false;  // there is a driver (docs/context-protocol.md)
};

std::span<const Language> languages();
// kUnsupportedLanguage with the list of known ones for anything else.
Result<const Language*> find_language(std::string_view name);
// By suffix; nullptr when it says nothing.
const Language* language_of_file(std::string_view path);
// "python (py), javascript (js, node), …"
std::string known_languages();

// Whether inline_command() can be used: other code has to be stored as a file first.
bool runs_inline(const Language& language);
// The whole command line for code given as a string, or stored as a file inside. A compiler that
// fails ends it with its own status; one that is missing with 127, as a shell does.
std::vector<std::string> inline_command(const Language& language, std::string code,
                                        std::span<const std::string> arguments);
std::vector<std::string> file_command(const Language& language, std::string file,
                                      std::span<const std::string> arguments);

}  // namespace atl::drivers
