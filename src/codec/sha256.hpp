// SHA-256 and its usual form, hexadecimal digits. Programs that use it link the OpenSSL of their
// choice: static in the server, shared in atoll-unpack.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace atl::codec {

class Sha256 {
 public:
  // The first call loads what OpenSSL needs from disk, so make one before the disk is out of reach.
  Sha256();
  void add(std::span<const char> bytes);
  // The digest of everything added. Once.
  std::string hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256_hex(std::string_view bytes);

// HMAC-SHA256 in hexadecimal digits.
std::string hmac_sha256_hex(std::string_view key, std::string_view text);

std::string hex(std::span<const unsigned char> bytes);

}  // namespace atl::codec
