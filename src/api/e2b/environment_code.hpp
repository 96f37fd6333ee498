// Variables for one execution in a context, which keeps its own: a first line that sets them, in
// the context's language. Line numbers stay. They are there for what runs later in the context,
// too. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/common/refusal.hpp"

namespace atl::api::e2b {

Answer<std::string> with_variables(std::string_view language, std::string code,
                                   const std::map<std::string, std::string>& variables);

}  // namespace atl::api::e2b
