#include "cli/core/secret_source.hpp"

#include <cstdlib>

#include "cli/core/files.hpp"

namespace atl::cli {

Result<std::string> secret_value(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty()) return fail(Code::kInvalidArgument, "the value of the secret is empty");
  if (text.size() > kMaxSecret) {
    return fail(Code::kInvalidArgument, "the value of a secret has at most 64 KiB");
  }
  return text;
}

Result<std::string> read_secret(std::string_view source) {
  constexpr std::string_view kEnv = "@env:";
  constexpr std::string_view kFile = "@file:";
  if (source.starts_with(kEnv) && source.size() > kEnv.size()) {
    std::string name(source.substr(kEnv.size()));
    const char* value = std::getenv(name.c_str());
    if (value == nullptr)
      return fail(Code::kInvalidArgument, "the variable " + name + " is not set");
    return secret_value(value);
  }
  if (source.starts_with(kFile) && source.size() > kFile.size()) {
    std::string path(source.substr(kFile.size()));
    ATOLL_TRY(std::string text, read_file(path, kMaxSecret + 2, "the secret in " + path));
    return secret_value(std::move(text));
  }
  return fail(Code::kInvalidArgument,
              "write @env:VAR or @file:PATH: other users of this machine see arguments");
}

}  // namespace atl::cli
