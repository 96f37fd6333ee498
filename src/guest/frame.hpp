// Frames of the guest protocol without any I/O: both ends put bytes in and take frames out. The
// other side is hostile: a bad header is an Error, after which the connection must be closed.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "guest/protocol.hpp"

namespace atl::guest {

std::array<char, kHeaderSize> encode_header(const FrameHeader& header);

// `bytes` starts with a header; checks length, type, stream and the two zero bytes.
Result<FrameHeader> decode_header(std::string_view bytes);

struct Frame {
  FrameHeader header;
  std::string_view payload;  // valid until the next prepare()
};

// Usage: read into prepare(), commit() what came, then call next() until it gives nullopt. The
// buffer never grows: prepare() always has room because next() took every complete frame out.
class FrameReader {
 public:
  static constexpr std::size_t kCapacity = 2 * (kHeaderSize + kMaxPayload);

  std::span<char> prepare();
  void commit(std::size_t size);
  Result<std::optional<Frame>> next();

 private:
  std::unique_ptr<char[]> buffer_;  // made at the first prepare(); its pages are touched when used
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace atl::guest
