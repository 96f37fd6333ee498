// The drivers of contexts (docs/context-protocol.md), each as one script for its interpreter. The
// Python one is also what a zygote runs.
#pragma once

#include <string_view>

namespace atl::drivers {

std::string_view python_script();
std::string_view javascript_script();
std::string_view bash_script();

// Of test-driven runs (drivers/tests): a judge and the process of the code that it judges are each
// the wire and one of the others, in one file.
std::string_view python_wire();
std::string_view python_judge();
std::string_view python_solution();
std::string_view javascript_wire();
std::string_view javascript_judge();
std::string_view javascript_solution();
std::string_view javascript_reporter();

}  // namespace atl::drivers
