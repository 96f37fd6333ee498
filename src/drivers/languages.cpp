#include "drivers/languages.hpp"

#include <array>

namespace atl::drivers {
namespace {

// What a compiler makes lies in /tmp: the workspace stays as it was, and it is writable everywhere.
constexpr std::array kLanguages{
    Language{.name = "python",
             .aliases = "py",
             .suffixes = ".py",
             .file_name = "main.py",
             .programs = "python3",
             .code_flag = "-c",
             .has_context = true},
    Language{.name = "javascript",
             .aliases = "js node",
             .suffixes = ".js .mjs .cjs",
             .file_name = "main.js",
             .programs = "node",
             .code_flag = "-e",
             .has_context = true},
    Language{.name = "bash",
             .aliases = "shell sh",
             .suffixes = ".sh .bash",
             .file_name = "main.sh",
             .programs = "bash",
             .code_flag = "-c",
             .has_context = true},
    // Node leaves the types out; which option that needs depends on its age.
    Language{.name = "typescript",
             .aliases = "ts",
             .suffixes = ".ts .mts .cts",
             .file_name = "main.ts",
             .programs = "node",
             .build = "case $({program} --version) in v1?.*|v2[01].*|v22.?.*|v22.1[012].*) "
                      "echo 'TypeScript needs node 22.13 or newer' >&2; exit 1;; "
                      "v2[2-5].*) option=--experimental-transform-types;; *) option=;; esac",
             .start = "{program} $option --no-warnings {file}",
             .has_context = true},
    Language{.name = "c",
             .aliases = "",
             .suffixes = ".c",
             .file_name = "main.c",
             .programs = "gcc clang cc",
             .build = "{program} -O1 -o {out} {file} -lm -pthread",
             .start = "{out}"},
    Language{.name = "cpp",
             .aliases = "c++ cxx",
             .suffixes = ".cpp .cc .cxx",
             .file_name = "main.cpp",
             .programs = "g++ clang++ c++",
             .build = "{program} -std=c++20 -O1 -o {out} {file} -pthread",
             .start = "{out}"},
    // One job and no C code: a sandbox has half a core and little memory by default.
    Language{.name = "go",
             .aliases = "golang",
             .suffixes = ".go",
             .file_name = "main.go",
             .programs = "go /usr/local/go/bin/go",
             .build =
                 "HOME=${HOME:-/tmp} GOCACHE=${GOCACHE:-/tmp/go-build} GOPATH=${GOPATH:-/tmp/go} "
                 "CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS=${GOFLAGS:--p=2} "
                 "{program} build -o {out} {file}",
             .start = "{out}"},
    Language{.name = "java",
             .aliases = "",
             .suffixes = ".java",
             .file_name = "Main.java",
             .programs = "java",
             // As options the heap's size makes no line on stderr, as it does in the variable.
             .build = "heap=; case $JAVA_TOOL_OPTIONS in -XX:MaxRAM=*) heap=$JAVA_TOOL_OPTIONS; "
                      "unset JAVA_TOOL_OPTIONS;; esac",
             .start = "{program} $heap -XX:+UseSerialGC -XX:TieredStopAtLevel=1 {file}"},
    Language{.name = "rust",
             .aliases = "rs",
             .suffixes = ".rs",
             .file_name = "main.rs",
             .programs = "rustc /usr/local/cargo/bin/rustc",
             .build = "{program} --edition 2021 -C opt-level=1 -o {out} {file}",
             .start = "{out}"},
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    std::size_t space = text.find(' ');
    words.push_back(text.substr(0, space));
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return words;
}

std::string joined(std::string_view text, std::string_view separator) {
  std::string result;
  for (std::string_view word : split(text)) {
    if (!result.empty()) result += separator;
    result += word;
  }
  return result;
}

std::string with_variables(std::string_view command) {
  constexpr std::array<std::array<std::string_view, 2>, 3> kVariables{
      {{"{program}", "\"$program\""}, {"{file}", "\"$file\""}, {"{out}", "\"$out\""}}};
  std::string text(command);
  for (const auto& [name, variable] : kVariables) {
    for (std::size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + variable.size())) {
      text.replace(at, name.size(), variable);
    }
  }
  return text;
}

// A script for /bin/sh whose first argument is the file.
std::string build_script(const Language& language) {
  std::string script = "file=$1; shift; for program in " + std::string(language.programs) +
                       "; do command -v \"$program\" >/dev/null 2>&1 && break; program=; done; "
                       "if [ -z \"$program\" ]; then echo 'atoll: program_not_found: " +
                       std::string(language.name) +
                       " is not installed in this sandbox; looked for " +
                       joined(language.programs, ", ") + "' >&2; exit 127; fi; ";
  if (language.start == "{out}") {
    // Beside a file that has a folder of its own in /tmp, which its owner removes.
    script +=
        "case $file in /tmp/atoll-*/*) out=${file%/*}/main;; "
        "*) out=$(mktemp -d /tmp/atoll-XXXXXX)/main || exit 126;; esac; ";
  }
  if (!language.build.empty()) script += with_variables(language.build) + " || exit $?; ";
  return script + "exec " + with_variables(language.start) + " \"$@\"";
}

void append(std::vector<std::string>& argv, std::span<const std::string> arguments) {
  argv.insert(argv.end(), arguments.begin(), arguments.end());
}

}  // namespace

std::span<const Language> languages() { return kLanguages; }

std::string known_languages() {
  std::string text;
  for (const Language& language : kLanguages) {
    if (!text.empty()) text += ", ";
    text += language.name;
    if (!language.aliases.empty()) text += " (" + joined(language.aliases, ", ") + ")";
  }
  return text;
}

Result<const Language*> find_language(std::string_view name) {
  for (const Language& language : kLanguages) {
    if (language.name == name) return &language;
    for (std::string_view alias : split(language.aliases)) {
      if (alias == name) return &language;
    }
  }
  return fail(Code::kUnsupportedLanguage, "the language \"" + std::string(name.substr(0, 80)) +
                                              "\" is not known; known are " + known_languages());
}

const Language* language_of_file(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (const Language& language : kLanguages) {
    for (std::string_view suffix : split(language.suffixes)) {
      if (name.size() > suffix.size() && name.ends_with(suffix)) return &language;
    }
  }
  return nullptr;
}

bool runs_inline(const Language& language) { return !language.code_flag.empty(); }

std::vector<std::string> inline_command(const Language& language, std::string code,
                                        std::span<const std::string> arguments) {
  std::vector<std::string> argv{std::string(language.programs), std::string(language.code_flag),
                                std::move(code)};
  // bash takes the first word after the code as $0; node would read -x as its own option.
  if (language.name == "bash") argv.emplace_back("bash");
  if (language.name == "javascript" && !arguments.empty()) argv.emplace_back("--");
  append(argv, arguments);
  return argv;
}

std::vector<std::string> file_command(const Language& language, std::string file,
                                      std::span<const std::string> arguments) {
  std::vector<std::string> argv;
  if (language.start.empty()) {
    argv = {std::string(language.programs), std::move(file)};
  } else {
    argv = {"/bin/sh", "-c", build_script(language), "sh", std::move(file)};
  }
  append(argv, arguments);
  return argv;
}

}  // namespace atl::drivers
