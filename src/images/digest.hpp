// The digest of a stream that is read for something else.
#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "codec/sha256.hpp"
#include "images/bytes.hpp"

namespace atl::images {

// Passes a stream on and computes its SHA-256.
class SummingStream final : public ByteStream {
 public:
  explicit SummingStream(ByteStream& from) : from_(from) {}
  Result<std::span<const char>> next() override;
  // Reads what nobody has asked for: a sum is over the whole.
  Result<void> drain();
  std::string hex() { return sum_.hex(); }
  std::uint64_t count() const { return count_; }

 private:
  ByteStream& from_;
  codec::Sha256 sum_;
  std::uint64_t count_ = 0;
};

}  // namespace atl::images
