// One layer of an image: decompressed, summed up and taken apart into entries, each checked before
// anybody acts on it. What to do with them is the sink's business.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "images/bytes.hpp"
#include "images/limits.hpp"

namespace atl::images {

enum class EntryKind { kFile, kFolder, kSymlink, kHardLink, kWhiteout, kOpaque };

struct LayerEntry {
  EntryKind kind = EntryKind::kFile;
  // Clean (entry_path.hpp). kWhiteout: the name that is gone; kOpaque: the folder that starts
  // empty.
  std::string path;
  std::string link;  // kSymlink: as written; kHardLink: the other name, clean
  mode_t mode = 0;   // permissions and the sticky bit
  uid_t uid = 0;     // both at most 65535
  gid_t gid = 0;
  std::int64_t mtime = 0;
  std::uint32_t mtime_nanoseconds = 0;
  std::uint64_t size = 0;                                   // kFile, holes included
  std::vector<std::pair<std::string, std::string>> xattrs;  // user.* only
};

class LayerSink {
 public:
  virtual ~LayerSink() = default;
  virtual Result<void> begin(const LayerEntry& entry) = 0;
  // Of the entry that has begun, a kFile; in order, holes left out, within its size.
  virtual Result<void> data(std::uint64_t offset, std::span<const char> bytes) = 0;
  virtual Result<void> end() = 0;
};

// What is left of the limits for the layers to come, and what was left out on the way.
struct Budget {
  explicit Budget(const UnpackLimits& of)
      : limits(of), bytes(of.bytes), stream(of.bytes + of.entries * kHeader), entries(of.entries) {}
  static constexpr std::uint64_t kHeader = 1536;  // what an entry takes in a tar beside its content
  const UnpackLimits& limits;
  std::uint64_t bytes;   // of files
  std::uint64_t stream;  // of uncompressed tars
  std::uint64_t entries;
  std::uint64_t skipped_nodes = 0;   // device nodes below /dev, pipes, sockets
  std::uint64_t dropped_xattrs = 0;  // attributes other than user.*
  // Told now and then how many packed bytes were read.
  std::function<void(std::uint64_t)> on_progress;
};

struct LayerSums {
  std::string diff_id;  // of the uncompressed tar
  std::string blob;     // of the bytes in the archive
  std::uint64_t size = 0;
  std::uint64_t files = 0;
};

// Reads all of `blob`. Digests are for the caller to compare.
Result<LayerSums> read_layer(ByteStream& blob, LayerSink& sink, Budget& budget);

}  // namespace atl::images
