// Files as entries of envd: their form, and looking them up.
#pragma once

#include <string>

#include "api/e2b/call.hpp"
#include "api/e2b/paths.hpp"

namespace atl::api::e2b {

// A link counts as what it leads to, and says where.
Task<Answer<object>> entry_of(Call call, ClientPath path, model::File file);
// The same by name; kNotFound.
Task<Answer<object>> look_up(Call call, std::string path);

}  // namespace atl::api::e2b
