#include "api/e2b/environment_code.hpp"

#include <boost/json/object.hpp>

#include "api/common/text.hpp"
#include "base/environment_name.hpp"
#include "codec/json.hpp"

namespace atl::api::e2b {

namespace {

// As one word of a shell.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char letter : text) {
    if (letter == '\'') {
      out += "'\\''";
    } else {
      out += letter;
    }
  }
  return out + "'";
}

bool is_shell_name(std::string_view name) {
  for (char c : name) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(c >= '0' && c <= '9')) return false;
  }
  return !name.empty() && (name.front() < '0' || name.front() > '9');
}

}  // namespace

Answer<std::string> with_variables(std::string_view language, std::string code,
                                   const std::map<std::string, std::string>& variables) {
  boost::json::object all;
  std::string exports;
  for (const auto& [name, text] : variables) {
    if (!is_environment_name(name) || !is_environment_value(text)) {
      return refuse(Code::kInvalidArgument,
                    "env_vars has a name or a value that no variable can have");
    }
    all[name] = json_text(text);
    if (!is_shell_name(name)) continue;
    exports += "export " + name + "=" + quoted(text) + "; ";
  }
  // JSON of strings is a literal of both languages. `__future__` and magics stay at the front.
  std::string json = codec::serialize(all);
  if (language == "python") {
    return "__import__('os').environ.update(" + json + ");" + std::move(code);
  }
  if (language == "javascript") {
    return "Object.assign(process.env, " + json + ");" + std::move(code);
  }
  if (language == "bash") return exports + std::move(code);
  return refuse(Code::kInvalidArgument, "env_vars is not supported for this language");
}

}  // namespace atl::api::e2b
