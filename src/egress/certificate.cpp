#include "egress/certificate.hpp"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

namespace atl::egress {
namespace {

bool set_serial(X509* certificate) {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  bytes[0] &= 0x7f;  // serials are positive
  std::unique_ptr<BIGNUM, decltype(&BN_free)> number(BN_bin2bn(bytes, sizeof bytes, nullptr),
                                                     &BN_free);
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_subject(X509* certificate, const std::string& name) {
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(name.data()),
                                    static_cast<int>(name.size()), -1, 0) == 1;
}

bool set_times(X509* certificate, const CertificateOrder& order) {
  using std::chrono::system_clock;
  return ASN1_TIME_set(X509_getm_notBefore(certificate), system_clock::to_time_t(order.from)) !=
             nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), system_clock::to_time_t(order.until)) !=
             nullptr;
}

bool add_extension(X509* certificate, X509* issuer, int kind, const std::string& text) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, text.c_str()), &X509_EXTENSION_free);
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

}  // namespace

std::unexpected<Error> fail_openssl(const char* what) {
  unsigned long code = ERR_get_error();
  const char* reason = ERR_reason_error_string(code);
  ERR_clear_error();
  return fail(Code::kInternal, "cannot " + std::string(what) + ": " +
                                   (reason != nullptr ? reason : "no reason given"));
}

Result<Owned<EVP_PKEY>> make_key() {
  Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  if (!key) return fail_openssl("make a key");
  return key;
}

Result<Owned<X509>> make_certificate(const CertificateOrder& order) {
  Owned<X509> made(X509_new());
  X509* issuer = order.issuer != nullptr ? order.issuer : made.get();
  bool good = made && X509_set_version(made.get(), 2) == 1 && set_serial(made.get()) &&
              set_subject(made.get(), order.subject) && set_times(made.get(), order) &&
              X509_set_issuer_name(made.get(), X509_get_subject_name(issuer)) == 1 &&
              X509_set_pubkey(made.get(), order.key) == 1;
  for (const auto& [kind, text] : order.extensions) {
    good = good && add_extension(made.get(), issuer, kind, text);
  }
  if (!good || X509_sign(made.get(), order.signer, EVP_sha256()) == 0) {
    return fail_openssl("make a certificate");
  }
  return made;
}

}  // namespace atl::egress
