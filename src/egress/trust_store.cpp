#include "egress/trust_store.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "egress/certificate.hpp"

namespace atl::egress {
namespace {

// The JKS format: big-endian numbers, strings with a length of two bytes.
constexpr std::uint32_t kMagic = 0xfeedfeed;
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kTrustedCertificate = 2;
constexpr std::string_view kPassword = "changeit";
// Part of the format: keyed sums of JKS files begin with the password and these words.
constexpr std::string_view kSumWords = "Mighty Aphrodite";

template <typename T>
void add_number(std::string& out, T number) {
  for (int shift = 8 * (static_cast<int>(sizeof number) - 1); shift >= 0; shift -= 8) {
    out += static_cast<char>(number >> shift & 0xff);
  }
}

void add_string(std::string& out, std::string_view text) {
  add_number(out, static_cast<std::uint16_t>(text.size()));
  out += text;
}

std::string der_of(X509* certificate) {
  unsigned char* bytes = nullptr;
  int size = i2d_X509(certificate, &bytes);
  if (size <= 0) return {};
  std::string der(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return der;
}

std::vector<std::string> certificates_of(std::string_view bundle) {
  std::vector<std::string> found;
  std::size_t most = std::numeric_limits<int>::max();
  Owned<BIO> bio(BIO_new_mem_buf(bundle.data(), static_cast<int>(std::min(bundle.size(), most))));
  while (bio && BIO_ctrl_pending(bio.get()) > 0) {
    Owned<X509> certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!certificate) continue;  // the reader stands behind what it could not read
    if (std::string der = der_of(certificate.get()); !der.empty()) found.push_back(std::move(der));
  }
  ERR_clear_error();
  return found;
}

std::string sum_of(std::string_view store) {
  std::string text;
  for (char c : kPassword) (text += '\0') += c;  // UTF-16
  text += kSumWords;
  text += store;
  unsigned char sum[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum);
  return {reinterpret_cast<char*>(sum), sizeof sum};
}

}  // namespace

std::string pem_trust_store(std::string_view roots, std::string_view authority) {
  std::string bundle(roots);
  if (!bundle.empty() && bundle.back() != '\n') bundle += '\n';
  return bundle += authority;
}

Result<std::string> java_trust_store(std::string_view bundle) {
  std::vector<std::string> certificates = certificates_of(bundle);
  if (certificates.empty()) return fail(Code::kInvalidArgument, "no certificate in the bundle");
  std::string store;
  add_number(store, kMagic);
  add_number(store, kVersion);
  add_number(store, static_cast<std::uint32_t>(certificates.size()));
  for (std::size_t i = 0; i < certificates.size(); ++i) {
    add_number(store, kTrustedCertificate);
    add_string(store, "root" + std::to_string(i));
    add_number(store, std::uint64_t{0});  // when it was added
    add_string(store, "X.509");
    add_number(store, static_cast<std::uint32_t>(certificates[i].size()));
    store += certificates[i];
  }
  return store += sum_of(store);
}

}  // namespace atl::egress
