#include "contexts/language.hpp"

#include <array>
#include <string>

#include "drivers/scripts.hpp"

namespace atl::contexts {

std::string_view language_name(Language language) {
  switch (language) {
    case Language::kPython: return "python";
    case Language::kJavascript: return "javascript";
    case Language::kTypescript: return "typescript";
    case Language::kBash: return "bash";
  }
  return "";
}

Result<Language> language_of(std::string_view name) {
  struct Row {
    std::string_view name;
    Language language;
  };
  static constexpr std::array kRows{
      Row{"python", Language::kPython},
      Row{"py", Language::kPython},
      Row{"javascript", Language::kJavascript},
      Row{"js", Language::kJavascript},
      Row{"node", Language::kJavascript},
      Row{"typescript", Language::kTypescript},
      Row{"ts", Language::kTypescript},
      Row{"bash", Language::kBash},
      Row{"shell", Language::kBash},
      Row{"sh", Language::kBash},
  };
  for (const Row& row : kRows) {
    if (row.name == name) return row.language;
  }
  return fail(Code::kUnsupportedLanguage,
              "there is no context for the language \"" + std::string(name.substr(0, 80)) +
                  "\"; known are python, javascript, typescript and bash");
}

sandbox::ExecRequest driver_request(Language language, bool from_zygote) {
  sandbox::ExecRequest request;
  request.control = true;
  switch (language) {
    case Language::kPython:
      request.zygote = from_zygote;
      request.argv = {"python3"};
      if (from_zygote) {
        request.argv.emplace_back("@context");
      } else {
        request.argv.insert(request.argv.end(),
                            {"-c", std::string(drivers::python_script()), "context"});
      }
      break;
    case Language::kJavascript:
    case Language::kTypescript:
      request.argv = {"node", "--expose-internals", "-e", std::string(drivers::javascript_script()),
                      std::string(language_name(language))};
      break;
    case Language::kBash:
      request.argv = {"bash", "--norc", "--noprofile", "-c", std::string(drivers::bash_script()),
                      "bash"};
      break;
  }
  return request;
}

}  // namespace atl::contexts
