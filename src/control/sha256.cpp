#include "control/sha256.hpp"

#include <openssl/evp.h>

#include <array>

namespace atl::control {

std::string hex(std::span<const unsigned char> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned size = 0;
  ::EVP_Digest(bytes.data(), bytes.size(), sum.data(), &size, ::EVP_sha256(), nullptr);
  return hex(std::span(sum).first(size));
}

}  // namespace atl::control
