#include "guest/frame.hpp"

#include <algorithm>
#include <cstring>

namespace atl::guest {

std::array<char, kHeaderSize> encode_header(const FrameHeader& header) {
  std::array<char, kHeaderSize> bytes{};
  std::memcpy(&bytes[0], &header.length, 4);  // every supported machine is little-endian
  std::memcpy(&bytes[4], &header.channel, 4);
  bytes[8] = static_cast<char>(header.type);
  bytes[9] = static_cast<char>(header.stream);
  return bytes;
}

Result<FrameHeader> decode_header(std::string_view bytes) {
  if (bytes.size() < kHeaderSize) return fail(Code::kProtocol, "The frame header is cut off.");
  FrameHeader header;
  std::memcpy(&header.length, &bytes[0], 4);
  std::memcpy(&header.channel, &bytes[4], 4);
  auto type = static_cast<std::uint8_t>(bytes[8]);
  header.stream = static_cast<std::uint8_t>(bytes[9]);
  if (header.length > kMaxPayload) return fail(Code::kProtocol, "The frame is too long.");
  if (type < static_cast<std::uint8_t>(FrameType::kHello) ||
      type > static_cast<std::uint8_t>(FrameType::kPong)) {
    return fail(Code::kProtocol, "The frame has an unknown type.");
  }
  if (header.stream > kControl || bytes[10] != 0 || bytes[11] != 0) {
    return fail(Code::kProtocol, "The frame header is malformed.");
  }
  header.type = static_cast<FrameType>(type);
  return header;
}

std::span<char> FrameReader::prepare() {
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(kCapacity);
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return {buffer_.get() + end_, kCapacity - end_};
}

void FrameReader::commit(std::size_t size) { end_ += std::min(size, kCapacity - end_); }

Result<std::optional<Frame>> FrameReader::next() {
  std::string_view bytes(buffer_.get() + begin_, end_ - begin_);
  if (bytes.size() < kHeaderSize) return std::nullopt;
  ATOLL_TRY(FrameHeader header, decode_header(bytes));
  if (bytes.size() < kHeaderSize + header.length) return std::nullopt;
  begin_ += kHeaderSize + header.length;
  return Frame{header, bytes.substr(kHeaderSize, header.length)};
}

}  // namespace atl::guest
