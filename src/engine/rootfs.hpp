// The template of a sandbox's file system: a mount namespace whose root is a small read-only tmpfs
// with the host's system folders bound read-only, a minimal /etc of our own, device nodes, and an
// unmasked /proc underneath (without which no new one may be mounted from a user namespace). A
// sandbox copies the namespace and mounts its private parts on top.
#pragma once

#include <span>

#include "base/unique_fd.hpp"
#include "engine/failure.hpp"

namespace atl::engine {

// A place that must exist before the root turns read-only.
struct MountPoint {
  const char* path = nullptr;  // absolute, checked (request_check.cpp)
  bool folder = true;
};

// Moves the calling process into a new mount namespace holding the host template and returns a
// descriptor of that namespace. `rootless`: device nodes are bound, not made.
Outcome<UniqueFd> build_host_template(bool rootless, std::span<const MountPoint> points = {});

}  // namespace atl::engine
