// The template of a sandbox's file system: a mount namespace whose root is a small read-only tmpfs
// with the host's system folders bound read-only, a minimal /etc of our own, device nodes, and an
// unmasked /proc underneath (without which no new one may be mounted from a user namespace). A
// sandbox copies the namespace and mounts its private parts on top.
#pragma once

#include <span>

#include "base/unique_fd.hpp"
#include "engine/failure.hpp"

namespace atl::engine {

// Numbers inside every sandbox.
inline constexpr unsigned kGuestUid = 0;
inline constexpr unsigned kUserUid = 1000;

// A place that must exist before the root turns read-only.
struct MountPoint {
  const char* path = nullptr;  // absolute, checked (request_check.cpp)
  bool folder = true;
};

// Moves the calling process into a new mount namespace holding the host template and returns a
// descriptor of that namespace. `rootless`: device nodes are bound, not made.
Outcome<UniqueFd> build_host_template(bool rootless, std::span<const MountPoint> points = {});

// Moves the caller into the host template without points, built anew when none is kept or the host
// has changed. `host_mounts` is the mount namespace that the caller stands in. Rootless, nothing is
// kept.
Outcome<UniqueFd> enter_host_template(const UniqueFd& shared, const UniqueFd& host_mounts,
                                      bool rootless);

}  // namespace atl::engine
