#include "images/digest.hpp"

namespace atl::images {

Result<std::span<const char>> SummingStream::next() {
  ATOLL_TRY(std::span<const char> bytes, from_.next());
  sum_.add(bytes);
  count_ += bytes.size();
  return bytes;
}

Result<void> SummingStream::drain() {
  for (;;) {
    ATOLL_TRY(std::span<const char> bytes, next());
    if (bytes.empty()) return {};
  }
}

}  // namespace atl::images
