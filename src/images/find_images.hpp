// Which images an archive holds for this kind of machine, whichever tool wrote it. Every document
// that is named by a digest is checked against it before it is believed.
#pragma once

#include <string>
#include <vector>

#include "images/archive_index.hpp"
#include "images/documents.hpp"

namespace atl::images {

// "amd64", "arm64": how images call the machine this was built for.
std::string_view host_architecture();

struct FoundImage {
  ImagePlan plan;
  ConfigDocument config;
  std::string digest;  // "sha256:…" of the configuration
};

// At least one. kInvalidArgument: it is no image archive, or one that contradicts itself.
// kUnsupported: its images are for other machines.
Result<std::vector<FoundImage>> find_images(const ArchiveIndex& archive,
                                            const UnpackLimits& limits);

}  // namespace atl::images
