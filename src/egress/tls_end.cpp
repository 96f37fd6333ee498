#include "egress/tls_end.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "egress/certificate.hpp"

namespace atl::egress {

TlsEnd::~TlsEnd() { SSL_free(ssl_); }

// The transport under OpenSSL: reads from in_, writes to out_.
BIO_METHOD* TlsEnd::method() {
  static BIO_METHOD* const kMade = [] {
    BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "records");
    if (method == nullptr) return method;
    BIO_meth_set_create(method, [](BIO* bio) {
      BIO_set_init(bio, 1);
      return 1;
    });
    BIO_meth_set_ctrl(method, [](BIO*, int command, long, void*) -> long {
      return command == BIO_CTRL_FLUSH ? 1 : 0;
    });
    BIO_meth_set_read(method, [](BIO* bio, char* into, int size) {
      auto* end = static_cast<TlsEnd*>(BIO_get_data(bio));
      BIO_clear_retry_flags(bio);
      std::string_view rest = end->in_.substr(end->at_);
      if (rest.empty()) {
        BIO_set_retry_read(bio);
        return -1;
      }
      std::size_t taken = std::min<std::size_t>(static_cast<std::size_t>(size), rest.size());
      std::memcpy(into, rest.data(), taken);
      end->at_ += taken;
      return static_cast<int>(taken);
    });
    BIO_meth_set_write(method, [](BIO* bio, const char* bytes, int size) {
      auto* end = static_cast<TlsEnd*>(BIO_get_data(bio));
      BIO_clear_retry_flags(bio);
      end->out_.append(bytes, static_cast<std::size_t>(size));
      return size;
    });
    return method;
  }();
  return kMade;
}

Result<std::unique_ptr<TlsEnd>> TlsEnd::over(SSL_CTX* context) {
  SSL* ssl = SSL_new(context);
  if (ssl == nullptr) return fail_openssl("begin TLS");
  std::unique_ptr<TlsEnd> end(new TlsEnd(ssl));
  BIO* bio = BIO_new(method());
  if (bio == nullptr) return fail_openssl("begin TLS");
  BIO_set_data(bio, end.get());
  SSL_set_bio(ssl, bio, bio);
  // A connection that is idle keeps no buffers.
  SSL_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
  return end;
}

Result<std::unique_ptr<TlsEnd>> TlsEnd::server(SSL_CTX* context) {
  ATOLL_TRY(std::unique_ptr<TlsEnd> end, over(context));
  SSL_set_accept_state(end->ssl_);
  return end;
}

Result<std::unique_ptr<TlsEnd>> TlsEnd::client(SSL_CTX* context, const std::string& name) {
  ATOLL_TRY(std::unique_ptr<TlsEnd> end, over(context));
  SSL_set_hostflags(end->ssl_, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (SSL_set1_host(end->ssl_, name.c_str()) != 1 ||
      SSL_set_tlsext_host_name(end->ssl_, name.c_str()) != 1) {
    return fail_openssl("begin TLS");
  }
  SSL_set_connect_state(end->ssl_);
  return end;
}

void TlsEnd::give(std::string_view records) {
  if (!has_unread()) {
    in_ = records;
    at_ = 0;
    return;
  }
  keep_rest();
  kept_ += records;
  in_ = kept_;
}

void TlsEnd::keep_rest() {
  std::string rest(in_.substr(at_));
  kept_ = std::move(rest);
  in_ = kept_;
  at_ = 0;
}

TlsEnd::Got TlsEnd::outcome(int result) {
  int error = SSL_get_error(ssl_, result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return Got::kNothing;
  if (error == SSL_ERROR_ZERO_RETURN) return Got::kEnd;
  unsigned long code = ERR_get_error();
  reason_ = ERR_GET_REASON(code);
  const char* text = ERR_reason_error_string(code);
  failure_ = text != nullptr ? text : "the connection ended";
  long verdict = SSL_get_verify_result(ssl_);
  if (reason_ == SSL_R_CERTIFICATE_VERIFY_FAILED && verdict != X509_V_OK) {
    refused_certificate_ = true;
    failure_ = X509_verify_cert_error_string(verdict);
  }
  ERR_clear_error();
  return Got::kBroken;
}

TlsEnd::Got TlsEnd::shake_hands() {
  if (open_) return Got::kBytes;
  ERR_clear_error();
  int result = SSL_do_handshake(ssl_);
  open_ = result == 1;
  if (open_) return Got::kBytes;
  Got got = outcome(result);
  return got == Got::kEnd ? Got::kBroken : got;
}

TlsEnd::Got TlsEnd::read(std::span<char> into, std::size_t& size) {
  ERR_clear_error();
  int result = SSL_read_ex(ssl_, into.data(), into.size(), &size);
  return result == 1 ? Got::kBytes : outcome(result);
}

void TlsEnd::write(std::string_view bytes) {
  if (bytes.empty()) return;
  ERR_clear_error();
  std::size_t written = 0;
  // The transport takes everything, so that this fails only for a connection that is broken
  // anyway: reading from it says so.
  SSL_write_ex(ssl_, bytes.data(), bytes.size(), &written);
}

void TlsEnd::say_end() {
  ERR_clear_error();
  if (open_) SSL_shutdown(ssl_);
  ERR_clear_error();
}

}  // namespace atl::egress
