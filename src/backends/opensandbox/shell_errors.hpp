// What the standard tools complain about, as Errors. Scripts run them with LC_ALL=C.
#pragma once

#include <string_view>

#include "base/error.hpp"

namespace atl::backends::opensandbox {

// By the words at the end of a complaint: "mkdir: cannot create directory 'd': File exists".
Error error_from_words(std::string_view complaint);

}  // namespace atl::backends::opensandbox
