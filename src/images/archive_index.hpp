// The members of an image archive by name, found in one pass over its headers; each can then be
// read from where it lies. Nothing is copied.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "images/bytes.hpp"
#include "images/limits.hpp"

namespace atl::images {

class ArchiveIndex {
 public:
  // `source` is an uncompressed tar and outlives the index.
  static Result<ArchiveIndex> build(ByteSource& source, const UnpackLimits& limits);

  bool has(const std::string& path) const { return find(path) != nullptr; }
  // The size of a file, links followed; 0 when there is none.
  std::uint64_t size_of(const std::string& path) const;
  // The content of a file. The index outlives the stream.
  Result<std::unique_ptr<ByteStream>> open(const std::string& path) const;
  // A whole small file.
  Result<std::string> read(const std::string& path, std::size_t most) const;

 private:
  struct Member {
    std::uint64_t header = 0;
    std::uint64_t size = 0;
    std::string link;  // the member that this one is another name of
    bool file = false;
  };

  ArchiveIndex(ByteSource& source, const UnpackLimits& limits)
      : source_(&source), limits_(limits) {}
  Result<void> scan();
  // The file of that name; `docker save` writes a layer that comes twice as a link.
  const Member* find(const std::string& path) const;

  ByteSource* source_;
  UnpackLimits limits_;
  std::map<std::string, Member> members_;
};

}  // namespace atl::images
