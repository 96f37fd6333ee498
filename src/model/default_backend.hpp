// The kind of sandbox where nobody names one: on the command line, in templates, in a configuration
// without a `sandbox` block.
#pragma once

namespace atl::model {

inline constexpr const char* kDefaultBackend = "native";

}  // namespace atl::model
