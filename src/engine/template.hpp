// The host template (rootfs.hpp) as launchers find it: its mount namespace is pinned at a name in
// the folder that they share, beside a stamp of all that it was made from. Making it takes a
// millisecond, entering it 0.02.
#pragma once

namespace atl::engine {

inline constexpr const char* kTemplateName = "templates/host";
inline constexpr const char* kTemplateStamp = "templates/host.stamp";

}  // namespace atl::engine
