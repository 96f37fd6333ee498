// What the programs beside the launcher that make mounts ask of the kernel; it makes none itself.
#pragma once

#include "confine/mounts.hpp"
#include "engine/sys.hpp"

namespace atl::engine {

using confine::change_mount, confine::clone_mount, confine::make_mount_point;

inline bool attach_mount(const UniqueFd& mount, const char* target) {
  return confine::attach_mount(mount.get(), target);
}

}  // namespace atl::engine
