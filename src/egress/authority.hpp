// The certificate authority of one instance. With it the relay speaks TLS in the name of hosts that
// have secrets or header rules, and of no others. Its certificate is trusted in sandboxes only; its
// key never leaves this process and the data folder.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/result.hpp"

namespace atl::egress {

struct FreeOpenssl {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
template <typename T>
using Owned = std::unique_ptr<T, FreeOpenssl>;

class Authority {
 public:
  using Clock = std::chrono::system_clock;

  // A new one, good for ten years.
  static Result<Authority> make(Clock::time_point now);
  // What pem() gave.
  static Result<Authority> parse(std::string_view pem);

  // Key and certificate, to be stored.
  Result<std::string> pem() const;
  // The certificate alone, for the trust stores of sandboxes.
  Result<std::string> certificate_pem() const;

  // The server's side of TLS for a canonical name: a certificate of one day and http/1.1. Kept for
  // the next connection; the least recently used goes.
  Result<std::shared_ptr<SSL_CTX>> server_context(const std::string& name, Clock::time_point now);

 private:
  static constexpr std::size_t kKept = 1024;
  struct Leaf {
    std::string name;
    std::shared_ptr<SSL_CTX> context;
    Clock::time_point renew_at;
  };

  Authority(Owned<EVP_PKEY> key, Owned<X509> certificate, Owned<EVP_PKEY> leaf_key)
      : key_(std::move(key)),
        certificate_(std::move(certificate)),
        leaf_key_(std::move(leaf_key)) {}
  static Result<Authority> with(Owned<EVP_PKEY> key, Owned<X509> certificate);
  Result<std::shared_ptr<SSL_CTX>> new_context(const std::string& name, Clock::time_point now);

  Owned<EVP_PKEY> key_;
  Owned<X509> certificate_;
  Owned<EVP_PKEY> leaf_key_;  // one for all leaves
  std::list<Leaf> leaves_;    // the last used in front
  std::unordered_map<std::string, std::list<Leaf>::iterator> by_name_;
};

}  // namespace atl::egress
