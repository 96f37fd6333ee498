// A ring of bytes that starts small and grows up to a limit: short outputs never touch a large
// buffer, long ones are moved without copying (readv into it, writev out of it).
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <string_view>

namespace atl::guest {

class Ring {
 public:
  explicit Ring(std::size_t limit) : limit_(limit) {}

  std::size_t size() const { return size_; }
  std::size_t space() const { return limit_ - size_; }
  // Free room as one or two pieces; grows when full. 0 pieces: at the limit.
  int room(iovec (&pieces)[2]);
  void commit(std::size_t count) { size_ += count; }
  // Up to `count` bytes from `offset` on, as pieces; returns how many pieces.
  int peek(std::size_t offset, std::size_t count, iovec (&pieces)[2]) const;
  void consume(std::size_t count);
  // Takes what fits below the limit and returns how much that was.
  std::size_t append(std::string_view bytes);
  void release();  // frees the memory too

 private:
  int slices(std::size_t begin, std::size_t count, iovec (&pieces)[2]) const;
  void grow();

  std::unique_ptr<char[]> bytes_;
  std::size_t limit_;
  std::size_t capacity_ = 0;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace atl::guest
