// Paths of an image, looked up in its layers before anything is mounted. Layers are folders of the
// store (Lease), the lowest first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"

namespace atl::images {

// A folder of one layer; `path` is absolute. Links lead nowhere: a layer alone does not know where
// they end.
UniqueFd open_in_layer(const UniqueFd& layer, const std::string& path);

// The same folder by a path without links. All layers together know where these lead.
std::string without_links(const std::string& path, std::span<const UniqueFd> layers);

// The names that a folder has in any layer: more than the image shows where a layer removes some.
std::vector<std::string> names_in_layers(const std::string& folder, bool follow,
                                         std::span<const UniqueFd> layers);

}  // namespace atl::images
