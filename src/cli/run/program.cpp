#include "cli/run/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "cli/core/files.hpp"
#include "drivers/languages.hpp"

namespace atl::cli {
namespace {

using drivers::Language;

// One string of an argv holds 128 KiB at most, and the whole request must fit one frame.
constexpr std::size_t kMaxInline = 100'000;

std::size_t total_size(std::span<const std::string> strings) {
  std::size_t total = 0;
  for (const std::string& string : strings) total += string.size() + 8;
  return total;
}

Program run_code(const Language& language, std::string code, const std::string& folder,
                 const RunOptions& options, std::span<const std::string> arguments) {
  Program program{.is_code = true};
  bool fits = code.size() + total_size(arguments) + total_size(options.env) <= kMaxInline;
  if (drivers::runs_inline(language) && fits && code.find('\0') == std::string::npos) {
    program.argv = drivers::inline_command(language, std::move(code), arguments);
    return program;
  }
  std::string path = folder + "/" + std::string(language.file_name);
  program.argv = drivers::file_command(language, path, arguments);
  program.file = FileInside{.path = std::move(path), .content = std::move(code)};
  return program;
}

Result<Program> run_script(const Language& language, const std::string& path,
                           const std::string& folder, std::span<const std::string> arguments) {
  ATOLL_TRY(std::string content, read_file(path, kMaxCode, "the script " + path));
  std::string inside = folder + "/" + path.substr(path.rfind('/') + 1);
  Program program{.is_code = true};
  program.argv = drivers::file_command(language, inside, arguments);
  program.file = FileInside{.path = std::move(inside), .content = std::move(content)};
  return program;
}

Result<Program> run_stdin(const Language& language, const std::string& folder,
                          const RunOptions& options, std::span<const std::string> arguments) {
  if (options.interactive) {
    return fail(Code::kInvalidArgument, "-i cannot be used with -: stdin holds the code already");
  }
  if (::isatty(STDIN_FILENO) == 1 && !options.quiet) {
    print_warning("reading code from the terminal; end it with Ctrl-D", options.color);
  }
  ATOLL_TRY(std::string code, read_stdin(kMaxCode, "the code on stdin"));
  Program program = run_code(language, std::move(code), folder, options, arguments);
  program.took_stdin = true;
  return program;
}

bool is_plain_file(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && (found.st_mode & 0111) == 0;
}

}  // namespace

Result<Program> make_program(const RunOptions& options, const std::string& folder) {
  std::span<const std::string> words(options.arguments);
  const Language* language = nullptr;
  if (!options.language.empty()) {
    ATOLL_TRY(language, drivers::find_language(options.language));
  }
  const Language& code_language = language != nullptr ? *language : drivers::languages().front();

  if (options.code) {
    if (options.code->size() > kMaxCode) {
      return fail(Code::kTooLarge, "-c: the code is larger than 64m");
    }
    return run_code(code_language, *options.code, folder, options, words);
  }
  if (words.empty()) {
    return fail(Code::kInvalidArgument,
                "nothing to run; give a command, a script, or code with -c (see atoll run --help)");
  }
  const std::string& first = words.front();
  if (first.empty()) return fail(Code::kInvalidArgument, "the name of the program is empty");
  if (first == "-" && !options.separated) {
    return run_stdin(code_language, folder, options, words.subspan(1));
  }
  if (language != nullptr) return run_script(*language, first, folder, words.subspan(1));
  const Language* by_suffix = options.separated ? nullptr : drivers::language_of_file(first);
  if (by_suffix != nullptr) return run_script(*by_suffix, first, folder, words.subspan(1));
  return Program{.argv = options.arguments, .may_be_script = is_plain_file(first)};
}

}  // namespace atl::cli
