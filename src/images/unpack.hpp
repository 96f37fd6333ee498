// From an archive to unpacked layers in a folder: the work of atoll-unpack. Believes nothing that
// the archive says; what it leaves in the folder on failure is the caller's to throw away.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "images/limits.hpp"
#include "images/unpack_report.hpp"

namespace atl::images {

struct UnpackJob {
  UniqueFd archive;                    // a file or a pipe
  UniqueFd staging;                    // layers go to layers/DIFF_ID/tree in there
  std::set<std::string> known_layers;  // of the store: not to be unpacked again
  bool one = false;                    // refuse an archive with several images
  bool keep_owners = false;            // as root
  UnpackLimits limits;
  std::function<void(const UnpackProgress&)> on_progress;
};

Result<UnpackResult> unpack(UnpackJob job);

}  // namespace atl::images
