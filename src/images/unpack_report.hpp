// What atoll-unpack tells `atoll` on a pipe: JSON, one line each, with exactly one member set. The
// last line is a result or an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "images/image.hpp"

namespace atl::images {

struct UnpackProgress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;  // 0: nobody knows
};
BOOST_DESCRIBE_STRUCT(UnpackProgress, (), (done, total))

// An image as the archive describes it. Names are as written there and may be none.
struct UnpackedImage {
  std::vector<std::string> names;
  std::string digest;
  std::string architecture;
  std::string created;
  std::vector<std::string> layers;  // diff ids, the lowest first, none twice
  ImageConfig config;
};
BOOST_DESCRIBE_STRUCT(UnpackedImage, (), (names, digest, architecture, created, layers, config))

struct UnpackResult {
  std::vector<UnpackedImage> images;
  std::vector<LayerRecord> unpacked;  // the layers that were not known before
  std::uint64_t skipped_nodes = 0;
  std::uint64_t dropped_xattrs = 0;
};
BOOST_DESCRIBE_STRUCT(UnpackResult, (), (images, unpacked, skipped_nodes, dropped_xattrs))

struct UnpackError {
  std::uint16_t code = 0;  // base::Code
  std::string message;
  std::int32_t errno_value = 0;
};
BOOST_DESCRIBE_STRUCT(UnpackError, (), (code, message, errno_value))

struct UnpackLine {
  std::optional<UnpackProgress> progress;
  std::optional<UnpackResult> result;
  std::optional<UnpackError> error;
};
BOOST_DESCRIBE_STRUCT(UnpackLine, (), (progress, result, error))

}  // namespace atl::images
