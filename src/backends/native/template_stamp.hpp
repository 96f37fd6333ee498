// What tells whether the kept host template (engine/template.cpp) is that of today's host.
#pragma once

#include <string>

namespace atl::backends::native {

// A sum of what identifies everything that a template is made from, and its maker `program`. Empty
// without root: nobody keeps one then.
std::string template_stamp(const std::string& program);

}  // namespace atl::backends::native
