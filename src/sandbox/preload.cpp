#include "sandbox/preload.hpp"

#include <string_view>

namespace atl::sandbox {
namespace {

constexpr std::size_t kMaxModules = 24;
constexpr std::size_t kMaxBytes = 480;  // of all names and the spaces between them

bool is_module(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  bool begins = true;  // a part of the name
  for (char letter : name) {
    bool fits =
        kLetters.contains(letter) || (!begins && (letter == '.' || kDigits.contains(letter)));
    if (!fits) return false;
    begins = letter == '.';
  }
  return !begins;
}

}  // namespace

Result<void> check_modules(const std::vector<std::string>& modules) {
  std::size_t bytes = 0;
  for (const std::string& module : modules) bytes += module.size() + 1;
  if (modules.size() > kMaxModules || bytes > kMaxBytes) {
    return fail(Code::kInvalidArgument,
                "takes 24 modules at most, whose names have 480 letters together");
  }
  for (const std::string& module : modules) {
    if (!is_module(module)) {
      return fail(Code::kInvalidArgument,
                  "takes names of Python modules like numpy or os.path, not `" + module + "`");
    }
  }
  return {};
}

}  // namespace atl::sandbox
