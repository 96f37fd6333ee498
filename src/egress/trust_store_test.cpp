#include "egress/trust_store.hpp"

#include <gtest/gtest.h>

#include "egress/authority.hpp"

namespace atl::egress {
namespace {

std::string some_certificate() {
  return *Authority::make(Authority::Clock::now())->certificate_pem();
}

std::uint32_t number_at(const std::string& text, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number = number << 8 | static_cast<unsigned char>(text.at(at + i));
  }
  return number;
}

TEST(TrustStore, PutsTheAuthorityBehindTheRoots) {
  EXPECT_EQ(pem_trust_store("", "A\n"), "A\n");
  EXPECT_EQ(pem_trust_store("R\n", "A\n"), "R\nA\n");
  EXPECT_EQ(pem_trust_store("R", "A\n"), "R\nA\n") << "a bundle without a line break at its end";
}

TEST(TrustStore, ForJavaHasEachCertificate) {
  std::string store = *java_trust_store(some_certificate() + "# a comment\n" + some_certificate());
  EXPECT_EQ(number_at(store, 0), 0xfeedfeedu);
  EXPECT_EQ(number_at(store, 8), 2u);
}

TEST(TrustStore, ForJavaLeavesOutWhatCannotBeRead) {
  std::string broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  std::string store = *java_trust_store(some_certificate() + broken + some_certificate());
  EXPECT_EQ(number_at(store, 8), 2u);
  EXPECT_FALSE(java_trust_store(""));
  EXPECT_FALSE(java_trust_store("no certificate"));
  EXPECT_FALSE(java_trust_store(broken));
}

}  // namespace
}  // namespace atl::egress
