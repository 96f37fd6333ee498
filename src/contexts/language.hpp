// The languages that have contexts, and how the interpreter of each is started with its driver.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "sandbox/spec.hpp"

namespace atl::contexts {

enum class Language { kPython, kJavascript, kTypescript, kBash };

std::string_view language_name(Language language);
// Canonical names and the usual aliases; kUnsupportedLanguage names those there are.
Result<Language> language_of(std::string_view name);

// With a control stream, ready for Sandbox::spawn(). A zygote has the driver loaded already and
// only has to be told to be one; `from_zygote` counts for Python only.
sandbox::ExecRequest driver_request(Language language, bool from_zygote);

}  // namespace atl::contexts
