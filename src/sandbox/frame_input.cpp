#include "sandbox/frame_input.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "guest/frame.hpp"

namespace atl::sandbox {

using guest::kHeaderSize;

void FrameInput::grow() {
  auto larger = std::make_unique_for_overwrite<char[]>(kLargeBuffer);
  std::memcpy(larger.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  buffer_ = std::move(larger);
  capacity_ = kLargeBuffer;
}

std::span<const iovec> FrameInput::prepare() {
  if (!buffer_) {
    capacity_ = kBuffer;
    buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
  }
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (direct_) {
    // The buffer is empty then: next() moved what it held into large_.
    iovecs_[0] = {.iov_base = large_.data() + large_filled_,
                  .iov_len = large_.size() - large_filled_};
    iovecs_[1] = {.iov_base = buffer_.get(), .iov_len = kReadAhead};
    return iovecs_;
  }
  iovecs_[0] = {.iov_base = buffer_.get() + end_, .iov_len = capacity_ - end_};
  return {iovecs_.data(), 1};
}

void FrameInput::commit(std::size_t size) {
  if (direct_) {
    std::size_t step = std::min(size, large_.size() - large_filled_);
    large_filled_ += step;
    size -= step;
  }
  end_ += size;
}

Result<std::optional<InFrame>> FrameInput::next() {
  if (direct_) {
    if (large_filled_ < large_.size()) return std::nullopt;
    direct_ = false;
    return InFrame{.header = large_header_, .payload = {}, .data = std::exchange(large_, {})};
  }
  std::string_view have(buffer_.get() + begin_, end_ - begin_);
  if (have.size() < kHeaderSize) return std::nullopt;
  ATOLL_TRY(guest::FrameHeader header, guest::decode_header(have));
  have.remove_prefix(kHeaderSize);
  bool is_data = header.type == guest::FrameType::kData;
  if (have.size() >= header.length) {
    begin_ += kHeaderSize + header.length;
    std::string_view payload = have.substr(0, header.length);
    if (is_data) return InFrame{.header = header, .payload = {}, .data = std::string(payload)};
    return InFrame{.header = header, .payload = payload, .data = {}};
  }
  if (is_data) {
    direct_ = true;
    large_header_ = header;
    // The rest is filled by the next reads before anybody looks. libstdc++ 12 passes the new
    // capacity as second argument, which may be more than was asked for.
    large_.resize_and_overwrite(header.length, [&](char* bytes, std::size_t) {
      std::memcpy(bytes, have.data(), have.size());
      return header.length;
    });
    large_filled_ = have.size();
    begin_ = end_ = 0;
  } else if (kHeaderSize + header.length > capacity_) {
    grow();
  }
  return std::nullopt;
}

}  // namespace atl::sandbox
