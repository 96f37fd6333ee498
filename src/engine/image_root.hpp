// The root of a sandbox that runs an image: a read-only overlay of the image's layers between two
// small ones of our own. The upper has every place that something is mounted on, as a real folder,
// so that no link in an image decides where a mount goes; the lower has what an image may lack.
// /dev, /proc and /opt/atoll are those of the host template.
#pragma once

#include <span>

#include "engine/box.hpp"
#include "engine/rootfs.hpp"

namespace atl::engine {

// Moves the caller, who stands in the host's mount namespace, into a new one with that root.
// `layers` are folders of the image store, the lowest first; `owners` shows their owners inside
// (none when rootless).
Outcome<void> build_image_root(const LauncherState& state, std::span<const UniqueFd> layers,
                               const UniqueFd& owners, std::span<const MountPoint> points);

}  // namespace atl::engine
