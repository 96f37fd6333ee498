#include "egress/tls_end.hpp"

#include <openssl/ssl.h>

#include <gtest/gtest.h>

#include "egress/authority.hpp"
#include "egress/upstream.hpp"

namespace atl::egress {
namespace {

using Got = TlsEnd::Got;

class TlsEndTest : public testing::Test {
 protected:
  Authority authority = *Authority::make(Authority::Clock::now());
  std::unique_ptr<TlsEnd> server, client;

  void begin(const std::string& leaf, const std::string& asked, std::string_view roots) {
    auto leaf_context = *authority.server_context(leaf, Authority::Clock::now());
    server = std::move(*TlsEnd::server(leaf_context.get()));
    client = std::move(*TlsEnd::client(upstream_context({}, roots)->get(), asked));
  }

  // In pieces of a size; what is not read at once is kept.
  static Got move(TlsEnd& from, TlsEnd& to, std::size_t piece) {
    std::string records = std::exchange(from.out(), {});
    Got got = Got::kNothing;
    for (std::size_t at = 0; at < records.size(); at += piece) {
      std::string part = records.substr(at, piece);
      to.give(part);
      got = to.shake_hands();
      to.keep_rest();
      if (got == Got::kBroken) break;
    }
    return got;
  }

  // The result of the client's handshake.
  Got shake(std::size_t piece = SIZE_MAX / 2) {
    Got client_got = client->shake_hands(), server_got = Got::kNothing;
    for (int i = 0; i < 10 && client_got != Got::kBroken && server_got != Got::kBroken; ++i) {
      if (!client->out().empty()) server_got = move(*client, *server, piece);
      if (!server->out().empty()) client_got = move(*server, *client, piece);
      if (client->is_open() && server->is_open()) break;
    }
    return client_got;
  }

  std::string roots() { return *authority.certificate_pem(); }
};

TEST_F(TlsEndTest, CarriesBytesInPiecesOfAnySize) {
  for (std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{100'000}}) {
    begin("a.test", "a.test", roots());
    EXPECT_NE(shake(piece), Got::kBroken) << client->failure();
    ASSERT_TRUE(client->is_open() && server->is_open());
    std::string sent(40'000, 'x'), received, records;
    client->write(sent);
    client->say_end();
    records = std::exchange(client->out(), {});
    std::array<char, 1000> bytes;
    Got got = Got::kNothing;
    for (std::size_t at = 0; at < records.size(); at += piece) {
      std::string part = records.substr(at, piece);
      server->give(part);
      std::size_t size = 0;
      while ((got = server->read(bytes, size)) == Got::kBytes) received.append(bytes.data(), size);
      server->keep_rest();
    }
    EXPECT_EQ(received, sent);
    EXPECT_EQ(got, Got::kEnd);
  }
}

TEST_F(TlsEndTest, RefusesOtherNames) {
  begin("a.test", "b.test", roots());
  EXPECT_EQ(shake(), Got::kBroken);
  EXPECT_TRUE(client->refused_certificate());
  EXPECT_EQ(client->failure(), "hostname mismatch");
}

TEST_F(TlsEndTest, RefusesOtherAuthorities) {
  Authority stranger = *Authority::make(Authority::Clock::now());
  begin("a.test", "a.test", *stranger.certificate_pem());
  EXPECT_EQ(shake(), Got::kBroken);
  EXPECT_TRUE(client->refused_certificate());
}

TEST_F(TlsEndTest, SaysWhyItIsBroken) {
  begin("a.test", "a.test", roots());
  server->give("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(server->shake_hands(), Got::kBroken);
  EXPECT_EQ(server->reason(), SSL_R_HTTP_REQUEST);
  EXPECT_FALSE(server->failure().empty());
}

TEST(UpstreamContext, NeedsCertificatesInWhatIsAdded) {
  EXPECT_TRUE(upstream_context({}, {}));
  EXPECT_TRUE(upstream_context("no certificates", {}));
  EXPECT_EQ(upstream_context({}, "no certificates").error().code(), Code::kInvalidValue);
}

}  // namespace
}  // namespace atl::egress
