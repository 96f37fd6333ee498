#include "control/execute_check.hpp"

#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/environment_name.hpp"
#include "codec/json.hpp"
#include "drivers/languages.hpp"

namespace atl::control {
namespace {

Result<void> check_words(const ExecuteRequest& request) {
  std::size_t bytes = request.shell_command.size();
  bool has_nul = request.shell_command.find('\0') != std::string::npos ||
                 request.cwd.find('\0') != std::string::npos;
  for (const std::string& word : request.argv) {
    bytes += word.size() + 1;
    has_nul |= word.find('\0') != std::string::npos;
  }
  for (const auto& [name, value] : request.env) {
    bytes += name.size() + value.size() + 2;
    has_nul |= !is_environment_value(value);
    if (!is_environment_name(name)) {
      return fail(Code::kInvalidValue, "env: invalid variable name or value: " + name);
    }
  }
  if (has_nul) return fail(Code::kInvalidValue, "a command must not contain NUL bytes");
  if (bytes > kMaxCommand || request.argv.size() > kMaxArguments) {
    return fail(Code::kTooLarge, "the command and its environment are longer than 96 KiB");
  }
  return {};
}

}  // namespace

Result<void> check_request(ExecuteRequest& request, const std::string& default_language,
                           std::chrono::seconds longest_time) {
  int forms = (request.code ? 1 : 0) + (request.shell_command.empty() ? 0 : 1) +
              (request.argv.empty() ? 0 : 1);
  if (forms != 1) {
    return fail(Code::kInvalidArgument, "give either code (with its language) or a command");
  }
  if (request.context.find('\0') != std::string::npos) {
    return fail(Code::kInvalidValue, "a context's id must not contain NUL bytes");
  }
  if (!request.argv.empty() && request.argv.front().empty()) {
    return fail(Code::kInvalidValue, "the first word of a command is a program, not empty");
  }
  if (!request.context.empty() && !request.code) {
    return fail(Code::kInvalidValue, "a context runs code, not commands");
  }
  if (!request.context.empty() && (!request.cwd.empty() || !request.env.empty())) {
    return fail(Code::kInvalidValue,
                "a context keeps its cwd and its env: say them where it is opened");
  }
  if (!request.context.empty() && (request.stdin_data || request.stdin_open)) {
    return fail(Code::kInvalidValue, "a context has no stdin");
  }
  if (request.terminal && (request.code || request.stdin_data)) {
    return fail(Code::kInvalidValue, "a terminal is for commands, and takes no stdin beforehand");
  }
  if (request.terminal && (request.terminal->rows == 0 || request.terminal->cols == 0)) {
    return fail(Code::kInvalidValue, "a terminal has at least one row and one column");
  }
  if (request.timeout && (!std::isfinite(*request.timeout) || *request.timeout < 0 ||
                          *request.timeout > static_cast<double>(longest_time.count()))) {
    return fail(Code::kInvalidValue, "timeout is between 0 and " +
                                         std::to_string(longest_time.count()) + " seconds here");
  }
  if (request.code && request.code->size() > kMaxCode) {
    return fail(Code::kTooLarge, "the code is longer than 8 MiB");
  }
  if (request.code) {
    if (request.language.empty()) request.language = default_language;
    ATOLL_TRY(const drivers::Language* language, drivers::find_language(request.language));
    request.language = std::string(language->name);
    if (request.context.empty() && request.code->find('\0') != std::string::npos) {
      return fail(Code::kInvalidValue, "code must not contain NUL bytes");
    }
  }
  return check_words(request);
}

std::string describe_request(const ExecuteRequest& request) {
  constexpr std::size_t kShown = 4096;
  boost::json::object shown;
  if (request.code) {
    shown["language"] = request.language;
    shown["code"] = request.code->substr(0, kShown);
  } else if (!request.argv.empty()) {
    boost::json::array words;
    for (const std::string& word : request.argv) words.emplace_back(word.substr(0, kShown));
    shown["command"] = std::move(words);
  } else {
    shown["command"] = request.shell_command.substr(0, kShown);
  }
  if (!request.context.empty()) shown["context"] = request.context;
  if (!request.cwd.empty()) shown["cwd"] = request.cwd;
  return codec::serialize(shown);
}

}  // namespace atl::control
