// The environment that programs of a session begin with.
#pragma once

#include <map>
#include <string>

#include "model/session.hpp"

namespace atl::control {

// What the session was given, and placeholders of the secrets that its policy names.
std::map<std::string, std::string> environment_of(const model::Session& row);

}  // namespace atl::control
