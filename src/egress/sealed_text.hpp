// Bytes of a secret: in a region of memory that no core dump has, and that is not swapped out where
// the limits allow it; overwritten when they are freed. OpenSSL keeps private keys there as well.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace atl::egress {

class SealedText {
 public:
  // Makes the region, once for a process and before it is confined. Without it (in unit tests) the
  // bytes are on the ordinary heap, and are overwritten all the same.
  static bool prepare_region();

  // nullopt: the region is full.
  static std::optional<SealedText> of(std::string_view text);

  std::string_view view() const { return {bytes_.get(), bytes_.get_deleter().size}; }

 private:
  struct Cleanse {
    std::size_t size = 0;
    void operator()(char* bytes) const;
  };
  explicit SealedText(std::unique_ptr<char, Cleanse> bytes) : bytes_(std::move(bytes)) {}

  std::unique_ptr<char, Cleanse> bytes_;
};

}  // namespace atl::egress
