// X.509 certificates as the authority of an instance needs them.
#pragma once

#include <chrono>
#include <initializer_list>
#include <string>
#include <utility>

#include "egress/authority.hpp"

namespace atl::egress {

struct CertificateOrder {
  std::string subject;  // common name
  EVP_PKEY* key;        // whose public half it certifies
  X509* issuer;         // null: itself
  EVP_PKEY* signer;
  std::chrono::system_clock::time_point from, until;
  std::initializer_list<std::pair<int, std::string>> extensions;  // NID and OpenSSL's text for it
};

Result<Owned<X509>> make_certificate(const CertificateOrder& order);

// A new key on the curve P-256.
Result<Owned<EVP_PKEY>> make_key();

// The reason of OpenSSL's last error, which is then forgotten.
std::unexpected<Error> fail_openssl(const char* what);

}  // namespace atl::egress
