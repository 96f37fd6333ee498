// What an archive may cost before it is refused. The defaults are far above real images.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atl::images {

struct UnpackLimits {
  std::uint64_t bytes = 20ull << 30;     // unpacked, of all layers of the archive together
  std::uint64_t entries = 2'000'000;     // files, folders and links, likewise
  std::uint64_t members = 100'000;       // of the archive itself
  std::size_t images = 64;               // in one archive
  std::size_t layers = 128;              // in one image; an overlay takes 500, a request 128
  std::size_t document = 4ull << 20;     // bytes of one manifest, index or configuration
  std::size_t path = 4095;               // bytes
  std::size_t depth = 256;               // folders above a file
  std::uint64_t ratio = 400;             // unpacked to packed, beyond ratio_from …
  std::uint64_t ratio_from = 256 << 20;  // … which zeros in a small layer may well exceed
};

}  // namespace atl::images
