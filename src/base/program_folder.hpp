// Where this program lies, and beside it the others that it starts: launcher, guest, server,
// client.
#pragma once

#include <string>

#include "base/result.hpp"

namespace atl {

// The path of this program, whatever links led to it.
Result<std::string> program_path();
// Its folder.
Result<std::string> program_folder();

}  // namespace atl
