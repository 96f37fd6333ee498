// One end of a TLS connection without its socket: records come in as bytes and go out as bytes, and
// nothing waits. The owner moves them, and bounds them: it gives no more than it has room to
// answer.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace atl::egress {

class TlsEnd {
 public:
  // The result of a read.
  enum class Got {
    kBytes,
    kNothing,  // more records are needed
    kEnd,      // the other side has said that there are no more
    kBroken,   // failure() says why
  };

  // The side that has the certificate.
  static Result<std::unique_ptr<TlsEnd>> server(SSL_CTX* context);
  // The side that asks for `name` and verifies that it is so.
  static Result<std::unique_ptr<TlsEnd>> client(SSL_CTX* context, const std::string& name);

  TlsEnd(const TlsEnd&) = delete;
  TlsEnd& operator=(const TlsEnd&) = delete;
  ~TlsEnd();

  // Received records. They stay the caller's until keep_rest().
  void give(std::string_view records);
  // Copies the records that were not read. Not needed when all were.
  void keep_rest();
  bool has_unread() const { return at_ < in_.size(); }

  // Goes on with the handshake: kBytes when it is done, kNothing when it needs more records.
  Got shake_hands();
  bool is_open() const { return open_; }
  Got read(std::span<char> into, std::size_t& size);
  void write(std::string_view bytes);
  // Ends the stream: sends close_notify.
  void say_end();

  // Records to send. The owner takes them from the front.
  std::string& out() { return out_; }

  // Of the last kBroken: a short text for messages, and OpenSSL's reason number (SSL_R_…).
  const std::string& failure() const { return failure_; }
  int reason() const { return reason_; }
  // The certificate of the other side was not accepted; failure() says why.
  bool refused_certificate() const { return refused_certificate_; }

 private:
  explicit TlsEnd(SSL* ssl) : ssl_(ssl) {}
  static Result<std::unique_ptr<TlsEnd>> over(SSL_CTX* context);
  static BIO_METHOD* method();
  Got outcome(int result);

  SSL* ssl_;
  std::string_view in_;
  std::size_t at_ = 0;
  std::string kept_, out_;
  bool open_ = false, refused_certificate_ = false;
  std::string failure_;
  int reason_ = 0;
};

}  // namespace atl::egress
