#include "control/decide.hpp"

#include <array>
#include <string>
#include <string_view>

namespace atl::control {
namespace {

// As one line with single blanks: what a person would read.
std::string flattened(const ExecuteRequest& request) {
  std::string line = request.shell_command;
  for (const std::string& word : request.argv) line += (line.empty() ? "" : " ") + word;
  std::string flat;
  for (char c : line) {
    bool blank = c == ' ' || c == '\t' || c == '\n';
    if (blank && (flat.empty() || flat.back() == ' ')) continue;
    flat += blank ? ' ' : c;
  }
  return flat;
}

bool removes_root(std::string_view line) {
  for (std::string_view start : {"rm -rf /", "rm -fr /", "rm -r -f /", "rm -f -r /"}) {
    std::size_t at = line.find(start);
    if (at == std::string_view::npos) continue;
    std::string_view rest = line.substr(at + start.size());
    if (rest.empty() || rest[0] == ' ' || rest[0] == '*' || rest[0] == ';' || rest[0] == '&') {
      return true;
    }
  }
  return false;
}

bool has_word(std::string_view line, std::string_view word) {
  std::size_t at = line.find(word);
  return at != std::string_view::npos && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '/' ||
                                          line[at - 1] == ';' || line[at - 1] == '&');
}

}  // namespace

Result<void> decide(const Caller& caller, const LiveSession&, const ExecuteRequest& request) {
  if (!caller.may_write()) return fail(Code::kForbidden, "this key is read-only");
  std::string line = flattened(request);
  bool dangerous = removes_root(line) || has_word(line, "dd if=") || has_word(line, "mkfs") ||
                   line.find(":(){ :|:& };:") != std::string::npos ||
                   line.find(":(){:|:&};:") != std::string::npos;
  if (!dangerous) return {};
  return fail(Code::kDangerousCommand, "Dangerous command blocked: " + line.substr(0, 200));
}

}  // namespace atl::control
