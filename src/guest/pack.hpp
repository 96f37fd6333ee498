// A "pack": a whole directory as one stream of bytes, for kTreePut and kTreeGet. Each entry is
// {u8 kind (FileInfo::Kind), u32 mode, i64 mtime_ns, u64 size, string path, string target} followed
// by `size` bytes of content (files only); kind 0 ends the pack. Parents come before what they
// hold. Both ends read packs that the other side may have forged, so the reader checks every field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "guest/messages.hpp"

namespace atl::guest {

inline constexpr std::size_t kMaxPackPath = 4096;

struct PackEntry {
  std::uint8_t kind = FileInfo::kFile;  // kFile, kDirectory or kSymlink
  std::uint32_t mode = 0644;            // permission bits
  std::int64_t mtime_ns = 0;
  std::uint64_t size = 0;  // 0 unless a file
  std::string path;        // relative to the packed directory: no "", ".", ".." components
  std::string target;      // of a symlink
  auto fields() { return std::tie(kind, mode, mtime_ns, size, path, target); }
};

struct PackLimits {
  std::uint64_t entries = 1'000'000;
  std::uint64_t bytes = UINT64_C(1) << 40;  // sum of all sizes
};

// True for "a/b": relative, bounded, no empty, "." or ".." component, no NUL.
bool valid_pack_path(std::string_view path);

// Writing: pack_entry(), then exactly entry.size bytes, again and again, then pack_end().
inline std::string pack_entry(const PackEntry& entry) { return encoded(entry); }
std::string_view pack_end();

// Reading: call next() with the bytes at hand; it takes what it needs off the front of `input`.
class PackReader {
 public:
  enum class Event {
    kMore,     // input is used up, bring more
    kEntry,    // entry() is new
    kContent,  // content() holds some bytes of entry(); a view into the caller's input
    kDone,     // entry() is complete
    kEnd,      // the pack is complete; any further byte is an error
  };

  explicit PackReader(PackLimits limits = {}) : limits_(limits) {}

  Result<Event> next(std::string_view& input);
  const PackEntry& entry() const { return entry_; }
  std::string_view content() const { return content_; }
  bool ended() const { return state_ == State::kEnded; }

 private:
  enum class State { kHeader, kBody, kEnded, kBad };

  Result<Event> read_header(std::string_view& input);
  std::unexpected<Error> bad(const char* why);

  PackLimits limits_;
  State state_ = State::kHeader;
  std::string header_;  // the bytes of a header that arrived in pieces
  PackEntry entry_;
  std::string_view content_;
  std::uint64_t left_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace atl::guest
