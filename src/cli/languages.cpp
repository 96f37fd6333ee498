#include "cli/languages.hpp"

#include <array>

#include "cli/words.hpp"

namespace atl::cli {
namespace {

constexpr std::array kLanguages{
    Language{"python", "py", ".py", "main.py", "python3", "-c"},
    Language{"javascript", "js node", ".js .mjs", "main.js", "node", "-e"},
    Language{"bash", "shell sh", ".sh .bash", "main.sh", "bash", "-c"},
};

}  // namespace

std::span<const Language> languages() { return kLanguages; }

std::string known_languages() {
  std::string text;
  for (const Language& language : kLanguages) {
    if (!text.empty()) text += ", ";
    text += language.name;
    std::string aliases;
    for (std::string_view alias : Words(language.aliases)) {
      aliases += aliases.empty() ? "" : ", ";
      aliases += alias;
    }
    text += " (" + aliases + ")";
  }
  return text;
}

Result<const Language*> find_language(std::string_view name) {
  for (const Language& language : kLanguages) {
    if (language.name == name) return &language;
    for (std::string_view alias : Words(language.aliases)) {
      if (alias == name) return &language;
    }
  }
  return fail(Code::kUnsupportedLanguage, "the language \"" + std::string(name.substr(0, 80)) +
                                              "\" is not known; known are " + known_languages());
}

const Language* language_of_file(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (const Language& language : kLanguages) {
    for (std::string_view suffix : Words(language.suffixes)) {
      if (name.size() > suffix.size() && name.ends_with(suffix)) return &language;
    }
  }
  return nullptr;
}

std::vector<std::string> inline_command(const Language& language, std::string code,
                                        std::span<const std::string> arguments) {
  std::vector<std::string> argv{std::string(language.program), std::string(language.code_flag),
                                std::move(code)};
  // bash takes the first word after the code as $0; node would read -x as its own option.
  if (language.name == "bash") argv.emplace_back("bash");
  if (language.name == "javascript" && !arguments.empty()) argv.emplace_back("--");
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

std::vector<std::string> file_command(const Language& language, std::string file,
                                      std::span<const std::string> arguments) {
  std::vector<std::string> argv{std::string(language.program), std::move(file)};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

}  // namespace atl::cli
