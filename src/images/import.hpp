// `atoll image import`: starts atoll-unpack on an archive and takes what it made into the store. An
// import that ends early, however it ends, leaves nothing that anybody sees.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "images/limits.hpp"
#include "images/store.hpp"
#include "images/unpack_report.hpp"

namespace atl::images {

struct ImportJob {
  UniqueFd archive;    // a file or a pipe, opened by whoever asks
  std::string name;    // for the one image in it; empty: the names in the archive
  std::string unpack;  // the program
  UnpackLimits limits;
  int interrupt = -1;  // readable: give up (kCancelled)
  std::function<void(const UnpackProgress&)> on_progress;
};

struct ImportReport {
  std::vector<Image> images;
  std::size_t new_layers = 0;
  std::uint64_t skipped_nodes = 0;
  std::uint64_t dropped_xattrs = 0;
};

Result<ImportReport> import_archive(Store& store, ImportJob job);

}  // namespace atl::images
