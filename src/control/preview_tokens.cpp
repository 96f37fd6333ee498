#include "control/preview_tokens.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "codec/sha256.hpp"

namespace atl::control {
namespace {

constexpr std::size_t kLongest = 256;

// `<expiry in ms>.<key id>.<signature>`
struct Parts {
  std::int64_t expires = 0;
  std::string_view key_id;
  std::string_view signature;
};

std::optional<Parts> split(std::string_view token) {
  std::size_t first = token.find('.');
  std::size_t last = token.rfind('.');
  if (token.size() > kLongest || first == token.npos || first == last) return {};
  Parts parts{.key_id = token.substr(first + 1, last - first - 1),
              .signature = token.substr(last + 1)};
  const char* end = token.data() + first;
  auto [stop, error] = std::from_chars(token.data(), end, parts.expires);
  if (error != std::errc() || stop != end) return {};
  return parts;
}

// Each field with its length: no two grants have the same text.
std::string signed_text(PreviewTokens::Kind kind, const PreviewGrant& grant, std::int64_t expires) {
  std::string text = "atoll preview ";
  text += static_cast<char>(kind);
  for (const std::string& field : {std::to_string(expires), grant.session,
                                   std::to_string(grant.port), grant.tenant, grant.key_id}) {
    text += " " + std::to_string(field.size()) + ":" + field;
  }
  return text;
}

std::string signature_of(const std::array<unsigned char, 32>& secret, const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned size = 0;
  ::HMAC(::EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum.data(), &size);
  return codec::hex(std::span(sum).first(size));
}

std::int64_t milliseconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace

PreviewTokens::PreviewTokens(const Clock& clock) : clock_(clock) {
  if (::RAND_bytes(secret_.data(), static_cast<int>(secret_.size())) != 1) {
    throw std::runtime_error("cannot read random bytes");
  }
}

std::string PreviewTokens::sign(Kind kind, const PreviewGrant& grant,
                                std::chrono::system_clock::time_point expires) const {
  std::int64_t end = milliseconds(expires);
  return std::to_string(end) + "." + grant.key_id + "." +
         signature_of(secret_, signed_text(kind, grant, end));
}

PreviewTokens::Verdict PreviewTokens::check(Kind kind, const PreviewGrant& grant,
                                            std::string_view token) const {
  std::optional<Parts> parts = split(token);
  if (!parts || parts->key_id != grant.key_id) return Verdict::kInvalid;
  std::string right = signature_of(secret_, signed_text(kind, grant, parts->expires));
  bool same = right.size() == parts->signature.size() &&
              ::CRYPTO_memcmp(right.data(), parts->signature.data(), right.size()) == 0;
  if (!same) return Verdict::kInvalid;
  return milliseconds(clock_.wall()) < parts->expires ? Verdict::kValid : Verdict::kExpired;
}

std::optional<std::string> PreviewTokens::key_of(std::string_view token) {
  std::optional<Parts> parts = split(token);
  if (!parts) return {};
  return std::string(parts->key_id);
}

}  // namespace atl::control
