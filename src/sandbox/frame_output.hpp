// Frames waiting to be written to a guest. Small ones are joined into one buffer, so that a hello
// and the first operation leave in one system call; large payloads are moved in and never copied.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "guest/protocol.hpp"

namespace atl::sandbox {

class FrameOutput {
 public:
  void add(guest::FrameType type, std::uint32_t channel, std::uint8_t stream, std::string payload);
  bool empty() const { return bytes_ == 0; }
  std::size_t bytes() const { return bytes_; }
  // What to write next; valid until the next add() or consume().
  std::span<const iovec> front();
  void consume(std::size_t size);
  void clear();

 private:
  static constexpr std::size_t kJoin = 4096;  // payloads up to this size are copied together
  void append_small(std::string_view bytes);

  std::deque<std::string> parts_;
  std::size_t offset_ = 0;  // already written of the first part
  std::size_t bytes_ = 0;
  std::array<iovec, 16> iovecs_{};
};

}  // namespace atl::sandbox
