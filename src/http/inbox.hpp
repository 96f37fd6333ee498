// Bytes that were read and not used yet: small while a connection is idle, never beyond 64 KiB.
// Internal to http/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace atl::http {

class Inbox {
 public:
  static constexpr std::size_t kFirst = 4 * 1024;
  static constexpr std::size_t kMost = 64 * 1024;

  std::string_view view() const { return {bytes_.get() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  void consume(std::size_t size) {
    begin_ += size;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  void add(std::size_t size) { end_ += size; }

  // Gives back what a large body needed.
  void shrink() {
    if (size_ <= kFirst || !empty()) return;
    bytes_.reset();
    size_ = 0;
  }

  // Where to read to; empty when kMost bytes wait already. `wanted` is a size to grow to.
  std::span<char> room(std::size_t wanted = kFirst) {
    if (end_ == size_ || size_ < wanted) make_room(std::min(std::max(wanted, size_), kMost));
    return {bytes_.get() + end_, size_ - end_};
  }

 private:
  void make_room(std::size_t wanted) {
    std::size_t used = end_ - begin_;
    std::size_t size = used == wanted ? std::min(2 * wanted, kMost) : wanted;
    if (size != size_) {
      std::unique_ptr<char[]> larger(new char[size]);
      if (used > 0) std::memcpy(larger.get(), bytes_.get() + begin_, used);
      bytes_ = std::move(larger);
      size_ = size;
    } else if (begin_ > 0) {
      std::memmove(bytes_.get(), bytes_.get() + begin_, used);
    }
    begin_ = 0;
    end_ = used;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace atl::http
