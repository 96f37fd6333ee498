#include "egress/sealed_text.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <cstring>

namespace atl::egress {
namespace {

constexpr std::size_t kRegion = 16 << 20, kSmallest = 64;
// The rest is reserved for keys of handshakes, which secrets must not use up.
constexpr std::size_t kForValues = 12 << 20;

}  // namespace

// 2 says that it could not be locked into memory, which needs more RLIMIT_MEMLOCK than is usual.
bool SealedText::prepare_region() {
  return CRYPTO_secure_malloc_initialized() == 1 ||
         CRYPTO_secure_malloc_init(kRegion, kSmallest) != 0;
}

std::optional<SealedText> SealedText::of(std::string_view text) {
  std::size_t room = std::max<std::size_t>(text.size(), 1);
  if (CRYPTO_secure_malloc_initialized() == 1 && CRYPTO_secure_used() + 2 * room > kForValues) {
    return std::nullopt;
  }
  auto* bytes = static_cast<char*>(OPENSSL_secure_malloc(room));
  if (bytes == nullptr) return std::nullopt;
  std::memcpy(bytes, text.data(), text.size());
  return SealedText(std::unique_ptr<char, Cleanse>(bytes, Cleanse{text.size()}));
}

void SealedText::Cleanse::operator()(char* bytes) const {
  OPENSSL_secure_clear_free(bytes, std::max<std::size_t>(size, 1));
}

}  // namespace atl::egress
