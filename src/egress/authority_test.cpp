#include "egress/authority.hpp"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <gtest/gtest.h>

namespace atl::egress {
namespace {

using std::chrono::hours;

Owned<X509> certificate_of(const Authority& authority) {
  std::string pem = *authority.certificate_pem();
  Owned<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Owned<X509>(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

// What a client that trusts `authority` says about the leaf of `context` when it asked for `host`.
int verdict(const Authority& authority, SSL_CTX* context, const char* host, std::time_t at) {
  std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(), &X509_STORE_free);
  X509_STORE_add_cert(store.get(), certificate_of(authority).get());
  std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check(X509_STORE_CTX_new(),
                                                                        &X509_STORE_CTX_free);
  X509_STORE_CTX_init(check.get(), store.get(), SSL_CTX_get0_certificate(context), nullptr);
  X509_VERIFY_PARAM* wanted = X509_STORE_CTX_get0_param(check.get());
  X509_VERIFY_PARAM_set1_host(wanted, host, 0);
  X509_VERIFY_PARAM_set_time(wanted, at);
  X509_VERIFY_PARAM_set_purpose(wanted, X509_PURPOSE_SSL_SERVER);
  X509_verify_cert(check.get());
  return X509_STORE_CTX_get_error(check.get());
}

class AuthorityTest : public testing::Test {
 protected:
  Authority::Clock::time_point now = Authority::Clock::now();
  Authority authority = *Authority::make(now);

  int verdict_on(SSL_CTX* context, const char* host, hours later = hours(0)) {
    return verdict(authority, context, host, Authority::Clock::to_time_t(now + later));
  }
};

TEST_F(AuthorityTest, IsTrustedForTheNameForADay) {
  auto context = *authority.server_context("api.example.com", now);
  EXPECT_EQ(verdict_on(context.get(), "api.example.com"), X509_V_OK);
  EXPECT_EQ(verdict_on(context.get(), "other.example.com"), X509_V_ERR_HOSTNAME_MISMATCH);
  EXPECT_EQ(verdict_on(context.get(), "api.example.com", hours(25)), X509_V_ERR_CERT_HAS_EXPIRED);
}

TEST_F(AuthorityTest, CertifiesTheLongestName) {
  std::string name = std::string(63, 'a') + "." + std::string(63, 'b') + "." +
                     std::string(63, 'c') + "." + std::string(61, 'd');
  auto context = *authority.server_context(name, now);
  EXPECT_EQ(verdict_on(context.get(), name.c_str()), X509_V_OK);
}

TEST_F(AuthorityTest, IsNotTrustedByClientsOfAnotherOne) {
  Authority other = *Authority::make(now);
  auto context = *other.server_context("api.example.com", now);
  EXPECT_EQ(verdict_on(context.get(), "api.example.com"),
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY);
}

TEST_F(AuthorityTest, ComesBackFromItsText) {
  Authority again = *Authority::parse(*authority.pem());
  auto context = *again.server_context("api.example.com", now);
  EXPECT_EQ(verdict_on(context.get(), "api.example.com"), X509_V_OK);
}

TEST_F(AuthorityTest, RefusesTextThatIsNoKeyOrNotItsOwn) {
  EXPECT_FALSE(Authority::parse(""));
  EXPECT_FALSE(Authority::parse("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"));
  std::string pem = *authority.pem();
  std::string key = pem.substr(0, pem.find("-----BEGIN CERTIFICATE"));
  EXPECT_FALSE(Authority::parse(key));
  EXPECT_FALSE(Authority::parse(key + *Authority::make(now)->certificate_pem()));
}

TEST_F(AuthorityTest, KeepsALeafForHalfADay) {
  auto first = *authority.server_context("a.example", now);
  EXPECT_EQ(*authority.server_context("a.example", now + hours(11)), first);
  EXPECT_NE(*authority.server_context("a.example", now + hours(13)), first);
}

TEST_F(AuthorityTest, MakesANewLeafWhenTheClockIsSetBack) {
  auto first = *authority.server_context("a.example", now);
  auto second = *authority.server_context("a.example", now - hours(48));
  EXPECT_NE(first, second);
  EXPECT_EQ(verdict_on(second.get(), "a.example", hours(-48)), X509_V_ERR_CERT_NOT_YET_VALID)
      << "the authority itself is younger";
}

TEST_F(AuthorityTest, ForgetsTheLeafThatWasNotUsedForLongest) {
  auto first = *authority.server_context("first.example", now);
  std::weak_ptr<SSL_CTX> watched = first;
  first.reset();
  for (int i = 0; i < 1024; ++i) {
    ASSERT_TRUE(authority.server_context("n" + std::to_string(i) + ".example", now));
  }
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace atl::egress
