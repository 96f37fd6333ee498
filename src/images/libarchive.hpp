// libarchive behind our streams and Results: a tar that is read in order, and what takes gzip and
// zstd off a stream. The only files that include <archive.h> are this one's and layer_reader's.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <optional>

#include "images/bytes.hpp"

namespace atl::images {

// A struct archive that reads from a ByteStream. The stream outlives it.
class Archive {
 public:
  enum class Kind { kTar, kPacked };
  // kTar reads members of an uncompressed tar; kPacked the content of something that gzip or zstd,
  // or nobody, has compressed.
  static Result<std::unique_ptr<Archive>> open(ByteStream& from, Kind kind);
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // The next member, nullptr after the last; valid until the next call.
  Result<archive_entry*> next();
  struct Block {
    std::uint64_t offset = 0;
    std::span<const char> bytes;
  };
  // The next bytes of the present member, nullopt after the last.
  Result<std::optional<Block>> read();
  // Where the present member's header starts in the stream.
  std::uint64_t header_position() const;

 private:
  explicit Archive(ByteStream& from) : from_(from) {}
  Result<void> start(Kind kind);
  // What went wrong: below, or in the archive itself.
  std::unexpected<Error> broken();
  static la_ssize_t on_read(archive* handle, void* self, const void** bytes);
  static la_int64_t on_skip(archive* handle, void* self, la_int64_t count);

  struct Free {
    void operator()(archive* handle) const { archive_read_free(handle); }
  };
  ByteStream& from_;
  std::unique_ptr<archive, Free> handle_;
  std::optional<Error> error_;  // of the stream below
};

// The content of the present member of an archive, which outlives it.
class MemberStream final : public ByteStream {
 public:
  explicit MemberStream(Archive& archive) : archive_(archive) {}
  Result<std::span<const char>> next() override;

 private:
  Archive& archive_;
  std::uint64_t position_ = 0;
};

// A stream without its compression, if it has one. `from` outlives it.
class UnpackingStream final : public ByteStream {
 public:
  static Result<std::unique_ptr<UnpackingStream>> open(ByteStream& from);
  Result<std::span<const char>> next() override;

 private:
  UnpackingStream(std::unique_ptr<Archive> archive, bool empty)
      : archive_(std::move(archive)), content_(*archive_), empty_(empty) {}
  std::unique_ptr<Archive> archive_;
  MemberStream content_;
  bool empty_;
};

}  // namespace atl::images
