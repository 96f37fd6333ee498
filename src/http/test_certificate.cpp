#include "http/test_certificate.hpp"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

namespace atl::http::test {

TestCertificate::TestCertificate() : folder_(::testing::TempDir() + "/http_tls_XXXXXX") {
  EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
  certificate = folder_ + "/certificate.pem";
  key = folder_ + "/key.pem";
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pair(EVP_EC_gen("P-256"), EVP_PKEY_free);
  std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), X509_free);
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
  X509_set_pubkey(made.get(), pair.get());
  X509_NAME* name = X509_get_subject_name(made.get());
  const auto* text = reinterpret_cast<const unsigned char*>("localhost");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
  X509_set_issuer_name(made.get(), name);
  X509_EXTENSION* names =
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
  X509_add_ext(made.get(), names, -1);
  X509_EXTENSION_free(names);
  EXPECT_GT(X509_sign(made.get(), pair.get(), EVP_sha256()), 0);
  std::unique_ptr<FILE, int (*)(FILE*)> out(std::fopen(certificate.c_str(), "we"), std::fclose);
  EXPECT_EQ(PEM_write_X509(out.get(), made.get()), 1);
  out.reset(std::fopen(key.c_str(), "we"));
  EXPECT_EQ(PEM_write_PrivateKey(out.get(), pair.get(), nullptr, nullptr, 0, nullptr, nullptr), 1);
}

TestCertificate::~TestCertificate() {
  ::unlink(certificate.c_str());
  ::unlink(key.c_str());
  ::rmdir(folder_.c_str());
}

}  // namespace atl::http::test
