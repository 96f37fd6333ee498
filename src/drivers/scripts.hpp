// The drivers of contexts (docs/context-protocol.md), each as one script for its interpreter. The
// Python one is also what a zygote runs.
#pragma once

#include <string_view>

namespace atl::drivers {

std::string_view python_script();
std::string_view javascript_script();
std::string_view bash_script();

}  // namespace atl::drivers
