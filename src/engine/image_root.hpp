// The root of a sandbox that runs an image: a read-only overlay of the image's layers between two
// small ones of our own. The upper has every place that something is mounted on, as a real folder,
// so that no link in an image decides where a mount goes; the lower has what an image may lack.
// /dev, /proc and /opt/atoll are those of the host template.
#pragma once

#include <span>

#include "base/unique_fd.hpp"
#include "engine/failure.hpp"
#include "engine/rootfs.hpp"

namespace atl::engine {

struct ImageGround {
  const UniqueFd& disks;  // the folder of the image store
  const UniqueFd& host_template;
  const UniqueFd& owners;  // shows the owners of layers inside; none when rootless
  bool rootless = false;
};

// Moves the caller, who stands in the host's mount namespace, into a new one with that root, and
// returns a descriptor of it. `layers` are folders of the image store, the lowest first.
Outcome<UniqueFd> build_image_root(const ImageGround& ground, std::span<const UniqueFd> layers,
                                   std::span<const MountPoint> points);

}  // namespace atl::engine
