// The JSON inside image archives: Docker's manifest.json, and OCI indexes, manifests and
// configurations. Pure functions of text that a stranger wrote; what they do not need they ignore.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "images/image.hpp"
#include "images/limits.hpp"

namespace atl::images {

// A member of the archive and, where a document names it by its digest, what it must sum up to.
struct Blob {
  std::string path;
  std::string sha256;  // 64 digits, or empty
};

// One image of an archive, before anything of it was unpacked.
struct ImagePlan {
  std::vector<std::string> names;  // as written there
  Blob config;
  std::vector<Blob> layers;  // the lowest first
};

// manifest.json of `docker save`.
Result<std::vector<ImagePlan>> parse_docker_manifest(std::string_view text,
                                                     const UnpackLimits& limits);

// An entry of an OCI index: another index or a manifest.
struct IndexEntry {
  Blob blob;
  bool is_index = false;
  std::string name;
  std::string os;  // both empty when it does not say
  std::string architecture;
  bool attestation = false;  // says something about an image, is none
};
Result<std::vector<IndexEntry>> parse_oci_index(std::string_view text, const UnpackLimits& limits);
Result<ImagePlan> parse_oci_manifest(std::string_view text, const UnpackLimits& limits);

struct ConfigDocument {
  std::string os;
  std::string architecture;
  std::string created;
  ImageConfig config;
  std::vector<std::string> diff_ids;  // 64 digits each, the lowest first
};
Result<ConfigDocument> parse_config(std::string_view text, const UnpackLimits& limits);

}  // namespace atl::images
