// Bytes from a guest in, frames out. Unlike guest::FrameReader it lets the payload of a large kData
// frame be read straight into the string that the consumer gets, so that bulk output is copied once
// only, by the kernel. The guest is hostile: an Error means that the connection must be closed.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "guest/protocol.hpp"

namespace atl::sandbox {

struct InFrame {
  guest::FrameHeader header;
  std::string_view payload;  // valid until the next prepare(); empty for kData
  std::string data;          // the payload of kData
};

// Read into prepare(), commit() what came, then call next() until it gives nullopt.
class FrameInput {
 public:
  std::span<const iovec> prepare();
  void commit(std::size_t size);
  Result<std::optional<InFrame>> next();

 private:
  // Small, because large kData payloads bypass it; grows once if another frame needs it.
  static constexpr std::size_t kBuffer = 32 * 1024;
  static constexpr std::size_t kLargeBuffer = guest::kHeaderSize + guest::kMaxPayload;
  // How much is read past the end of a large payload: the next header, without copying much.
  static constexpr std::size_t kReadAhead = 4096;

  void grow();

  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool direct_ = false;  // large_ is being filled
  guest::FrameHeader large_header_;
  std::string large_;
  std::size_t large_filled_ = 0;
  std::array<iovec, 2> iovecs_{};
};

}  // namespace atl::sandbox
