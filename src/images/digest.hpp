// SHA-256 as images use it: "sha256:" and 64 hexadecimal digits.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "images/bytes.hpp"

struct evp_md_ctx_st;

namespace atl::images {

class Sha256 {
 public:
  // Loads what is needed from disk on its first call, so make one before the disk is out of reach.
  Sha256();
  void add(std::span<const char> bytes);
  // The sum of everything added, in hexadecimal. Once.
  std::string hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256_hex(std::string_view bytes);

// Passes a stream on and sums it up.
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
  Sha256 sum_;
  std::uint64_t count_ = 0;
};

}  // namespace atl::images
