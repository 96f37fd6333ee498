// The languages `atoll run` knows (contract §1): names, file suffixes, and how each one is started.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace atl::cli {

struct Language {
  std::string_view name;       // canonical
  std::string_view aliases;    // separated by spaces
  std::string_view suffixes;   // of files, separated by spaces
  std::string_view file_name;  // for code that comes without a name
  std::string_view program;
  std::string_view code_flag;  // program code_flag CODE runs a string
};

std::span<const Language> languages();
// kUnsupportedLanguage with the list of known ones for anything else.
Result<const Language*> find_language(std::string_view name);
// By suffix; nullptr when it says nothing.
const Language* language_of_file(std::string_view path);
// "python (py), javascript (js, node), bash (shell, sh)"
std::string known_languages();

// The whole command line for code given as a string, or stored as a file inside.
std::vector<std::string> inline_command(const Language& language, std::string code,
                                        std::span<const std::string> arguments);
std::vector<std::string> file_command(const Language& language, std::string file,
                                      std::span<const std::string> arguments);

}  // namespace atl::cli
