// Reads a tar archive piece by piece, as it arrives: files, folders and links as a server writes
// them (POSIX.1-2001); other kinds are passed over. Names are not trusted: whoever writes them to a
// disk checks where they lead. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace atl::codec {

struct TarEntry {
  enum class Kind { kFile, kFolder, kLink, kOther };
  Kind kind = Kind::kOther;
  std::string name;
  std::uint32_t mode = 0;
  std::uint64_t size = 0;  // of what follows
  std::string target;      // of a link
};

class TarReader {
 public:
  enum class Event {
    kMore,     // all of the input was used
    kEntry,    // entry() is a new one
    kContent,  // content() is the next part of it
    kDone,     // of a file: its last byte was there
    kEnd,      // of the archive
  };
  // Takes from the front of `input`. kProtocol for what is no archive.
  Result<Event> next(std::string_view& input);
  const TarEntry& entry() const { return entry_; }
  std::string_view content() const { return content_; }
  bool ended() const { return ended_; }

 private:
  Result<Event> take_header();
  Result<void> take_extended();

  std::string held_;           // a header, or what extends one, until it is whole
  std::size_t wanted_ = 512;   // bytes of it
  bool extending_ = false;     // held_ gets what extends a header
  std::uint64_t left_ = 0;     // content of the entry
  std::uint64_t padding_ = 0;  // behind it
  bool open_ = false;          // kDone is still to come
  bool ended_ = false;
  TarEntry extended_;  // what an extended header said of the next one
  bool has_size_ = false;
  TarEntry entry_;
  std::string_view content_;
};

}  // namespace atl::codec
