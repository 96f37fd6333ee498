// Signed permission to see one port of one session in a browser. Nothing is stored: the signing key
// is random and lives as long as this object, so a restart of the server invalidates every token.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace atl::control {

struct PreviewGrant {
  std::string session;
  std::uint16_t port = 0;
  std::string tenant;
  std::string key_id;  // of the key that asked for it; empty on a server without keys
};

class PreviewTokens {
 public:
  // A link is handed to a browser, which gets a cookie for it. Neither is valid as the other.
  enum class Kind : char { kLink = 'l', kCookie = 'c' };
  enum class Verdict : std::uint8_t { kValid, kExpired, kInvalid };

  // Throws std::runtime_error when there are no random bytes.
  explicit PreviewTokens(const Clock& clock);

  // Letters, digits and dots: fits a query and a cookie.
  std::string sign(Kind kind, const PreviewGrant& grant,
                   std::chrono::system_clock::time_point expires) const;
  // kExpired only for a token that was valid.
  Verdict check(Kind kind, const PreviewGrant& grant, std::string_view token) const;
  // The key that a token names, which proves nothing. nullopt: this is no token.
  static std::optional<std::string> key_of(std::string_view token);

 private:
  const Clock& clock_;
  std::array<unsigned char, 32> secret_{};
};

}  // namespace atl::control
