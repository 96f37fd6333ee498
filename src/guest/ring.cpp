#include "guest/ring.hpp"

#include <algorithm>
#include <cstring>

namespace atl::guest {
namespace {
constexpr std::size_t kFirstCapacity = 4096;
}

int Ring::slices(std::size_t begin, std::size_t count, iovec (&pieces)[2]) const {
  if (count == 0) return 0;
  begin %= capacity_;
  std::size_t first = std::min(count, capacity_ - begin);
  pieces[0] = {bytes_.get() + begin, first};
  if (first == count) return 1;
  pieces[1] = {bytes_.get(), count - first};
  return 2;
}

void Ring::grow() {
  std::size_t capacity = std::min(limit_, capacity_ == 0 ? kFirstCapacity : capacity_ * 8);
  auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
  iovec pieces[2];
  std::size_t at = 0;
  for (int i = 0, n = slices(head_, size_, pieces); i < n; ++i) {
    std::memcpy(bytes.get() + at, pieces[i].iov_base, pieces[i].iov_len);
    at += pieces[i].iov_len;
  }
  bytes_ = std::move(bytes);
  capacity_ = capacity;
  head_ = 0;
}

int Ring::room(iovec (&pieces)[2]) {
  if (size_ == capacity_ && capacity_ < limit_) grow();
  return slices(head_ + size_, capacity_ - size_, pieces);
}

int Ring::peek(std::size_t offset, std::size_t count, iovec (&pieces)[2]) const {
  return slices(head_ + offset, std::min(count, size_ - offset), pieces);
}

void Ring::consume(std::size_t count) {
  size_ -= count;
  head_ = size_ == 0 ? 0 : (head_ + count) % capacity_;
}

std::size_t Ring::append(std::string_view bytes) {
  std::size_t taken = 0;
  iovec pieces[2];
  while (!bytes.empty() && room(pieces) > 0) {
    std::size_t count = std::min(bytes.size(), pieces[0].iov_len);
    std::memcpy(pieces[0].iov_base, bytes.data(), count);
    commit(count);
    bytes.remove_prefix(count);
    taken += count;
  }
  return taken;
}

void Ring::release() {
  bytes_.reset();
  capacity_ = head_ = size_ = 0;
}

}  // namespace atl::guest
