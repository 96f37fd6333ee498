#include "codec/sha256.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstdlib>

namespace atl::codec {
namespace {

// Fetched once: EVP_sha256() would look it up for every context.
const EVP_MD* sha256() {
  static EVP_MD* const kMethod = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return kMethod;
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  // Fails only when memory or a built-in part of the library is missing.
  if (!context_ || EVP_DigestInit_ex2(context_.get(), sha256(), nullptr) != 1) std::abort();
}

void Sha256::add(std::span<const char> bytes) {
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned size = 0;
  EVP_DigestFinal_ex(context_.get(), sum.data(), &size);
  return codec::hex(std::span(sum).first(size));
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned size = 0;
  ::HMAC(sha256(), key.data(), static_cast<int>(key.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum.data(), &size);
  return codec::hex(std::span(sum).first(size));
}

std::string hex(std::span<const unsigned char> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace atl::codec
