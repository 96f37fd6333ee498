// Where the bytes of an archive come from: by offset (a file, memory) or in order (a pipe, a member
// of an archive, something decompressed). Streams are stacked, each owning the one below it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::images {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  // As many as there are, up to the size of `into`; none at the end.
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) = 0;
};

class FileSource final : public ByteSource {
 public:
  // A regular file.
  static Result<std::unique_ptr<FileSource>> open(UniqueFd file);
  std::uint64_t size() const override { return size_; }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) override;

 private:
  FileSource(UniqueFd file, std::uint64_t size) : file_(std::move(file)), size_(size) {}
  UniqueFd file_;
  std::uint64_t size_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) override;

 private:
  std::string_view bytes_;
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // The next bytes, valid until the next call; none at the end.
  virtual Result<std::span<const char>> next() = 0;
  // Passes over up to `count` bytes without reading them; how many, 0 when it cannot.
  virtual std::uint64_t skip(std::uint64_t count) {
    (void)count;
    return 0;
  }
};

// A source from some offset on. The source outlives it.
class SourceStream final : public ByteStream {
 public:
  explicit SourceStream(ByteSource& source, std::uint64_t offset = 0)
      : source_(source), offset_(offset) {}
  Result<std::span<const char>> next() override;
  std::uint64_t skip(std::uint64_t count) override;

 private:
  ByteSource& source_;
  std::uint64_t offset_;
  std::vector<char> buffer_;
};

// A descriptor that can only be read in order. Not owned.
class PipeStream final : public ByteStream {
 public:
  explicit PipeStream(const UniqueFd& fd) : fd_(fd) {}
  Result<std::span<const char>> next() override;

 private:
  const UniqueFd& fd_;
  std::vector<char> buffer_;
};

// Lets one look at the beginning of a stream before anybody reads it. The stream outlives it.
class PeekedStream final : public ByteStream {
 public:
  static Result<PeekedStream> open(ByteStream& from);
  std::string_view first() const { return {first_.data(), first_.size()}; }
  Result<std::span<const char>> next() override;

 private:
  PeekedStream(ByteStream& from, std::span<const char> first) : from_(from), first_(first) {}
  ByteStream& from_;
  std::span<const char> first_;
};

// Whether bytes that begin so are compressed in a way that images use.
bool looks_packed(std::string_view first);

}  // namespace atl::images
