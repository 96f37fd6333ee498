// Frames of the control protocol: a length of 4 bytes, big-endian, and that many bytes. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace atl::egress {

inline std::string frame_of(std::string_view content) {
  std::string frame;
  frame.reserve(4 + content.size());
  for (int shift : {24, 16, 8, 0}) frame += static_cast<char>(content.size() >> shift);
  return frame.append(content);
}

// What the first 4 bytes say.
inline std::size_t frame_size(std::string_view bytes) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<std::uint8_t>(bytes[i]);
  return size;
}

}  // namespace atl::egress
