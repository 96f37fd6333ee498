#include "sandbox/frame_output.hpp"

#include <utility>

#include "guest/frame.hpp"

namespace atl::sandbox {

void FrameOutput::append_small(std::string_view bytes) {
  if (bytes.empty()) return;
  if (parts_.empty() || parts_.back().size() + bytes.size() > 2 * kJoin) parts_.emplace_back();
  parts_.back().append(bytes);
  bytes_ += bytes.size();
}

void FrameOutput::add(guest::FrameType type, std::uint32_t channel, std::uint8_t stream,
                      std::string payload) {
  auto header = guest::encode_header({.length = static_cast<std::uint32_t>(payload.size()),
                                      .channel = channel,
                                      .type = type,
                                      .stream = stream});
  append_small({header.data(), header.size()});
  if (payload.size() <= kJoin) return append_small(payload);
  bytes_ += payload.size();
  parts_.push_back(std::move(payload));
}

std::span<const iovec> FrameOutput::front() {
  std::size_t count = 0;
  for (std::string& part : parts_) {
    if (count == iovecs_.size()) break;
    std::size_t skip = count == 0 ? offset_ : 0;
    iovecs_[count++] = {.iov_base = part.data() + skip, .iov_len = part.size() - skip};
  }
  return {iovecs_.data(), count};
}

void FrameOutput::consume(std::size_t size) {
  bytes_ -= size;
  while (size > 0) {
    std::size_t left = parts_.front().size() - offset_;
    if (size < left) {
      offset_ += size;
      return;
    }
    size -= left;
    offset_ = 0;
    parts_.pop_front();
  }
}

void FrameOutput::clear() {
  parts_.clear();
  offset_ = bytes_ = 0;
}

}  // namespace atl::sandbox
