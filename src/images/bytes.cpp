#include "images/bytes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace atl::images {
namespace {

constexpr std::size_t kBlock = 256 * 1024;

}  // namespace

Result<std::unique_ptr<FileSource>> FileSource::open(UniqueFd file) {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return fail_errno("fstat of the archive");
  auto size = static_cast<std::uint64_t>(info.st_size);
  return std::unique_ptr<FileSource>(new FileSource(std::move(file), size));
}

Result<std::size_t> FileSource::read_at(std::uint64_t offset, std::span<char> into) {
  ssize_t got = -1;
  do {
    got = ::pread(file_.get(), into.data(), into.size(), static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fail_errno("reading the archive");
  return static_cast<std::size_t>(got);
}

Result<std::size_t> MemorySource::read_at(std::uint64_t offset, std::span<char> into) {
  if (offset >= bytes_.size()) return 0;
  return bytes_.copy(into.data(), into.size(), static_cast<std::size_t>(offset));
}

Result<std::span<const char>> SourceStream::next() {
  buffer_.resize(kBlock);
  ATOLL_TRY(std::size_t got, source_.read_at(offset_, buffer_));
  offset_ += got;
  return std::span<const char>(buffer_.data(), got);
}

std::uint64_t SourceStream::skip(std::uint64_t count) {
  std::uint64_t left = source_.size() - std::min(offset_, source_.size());
  std::uint64_t passed = std::min(count, left);
  offset_ += passed;
  return passed;
}

Result<std::span<const char>> PipeStream::next() {
  buffer_.resize(kBlock);
  ssize_t got = -1;
  do {
    got = ::read(fd_.get(), buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fail_errno("reading the archive");
  return std::span<const char>(buffer_.data(), static_cast<std::size_t>(got));
}

Result<PeekedStream> PeekedStream::open(ByteStream& from) {
  ATOLL_TRY(std::span<const char> first, from.next());
  return PeekedStream(from, first);
}

Result<std::span<const char>> PeekedStream::next() {
  if (!first_.empty()) return std::exchange(first_, {});
  return from_.next();
}

bool looks_packed(std::string_view first) {
  return first.starts_with("\x1f\x8b") || first.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace atl::images
