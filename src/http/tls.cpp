#include "http/tls.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace atl::http {

namespace {

constexpr std::size_t kRecord = 16 * 1024;

std::unexpected<Error> fail_tls(const char* what) {
  unsigned long number = ERR_get_error();
  const char* reason = number == 0 ? nullptr : ERR_reason_error_string(number);
  ERR_clear_error();
  std::string message = std::string("TLS: ") + what + " failed";
  if (reason != nullptr) (message += ": ") += reason;
  return fail(Code::kIo, std::move(message));
}

int fd_of(BIO* bio) { return *static_cast<const int*>(BIO_get_data(bio)); }

// OpenSSL's own socket BIO would raise SIGPIPE and needs O_NONBLOCK.
int read_socket(BIO* bio, char* into, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t got = 0;
  do {
    got = ::recv(fd_of(bio), into, static_cast<std::size_t>(size), MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

int write_socket(BIO* bio, const char* from, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t done = 0;
  do {
    done = ::send(fd_of(bio), from, static_cast<std::size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (done < 0 && errno == EINTR);
  if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_write(bio);
  return static_cast<int>(done);
}

long control_socket(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* socket_method() {
  static BIO_METHOD* const kMethod = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "atoll socket");
    BIO_meth_set_read(made, read_socket);
    BIO_meth_set_write(made, write_socket);
    BIO_meth_set_ctrl(made, control_socket);
    return made;
  }();
  return kMethod;
}

int choose_protocol(SSL* /*session*/, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned int offered_size, void* /*unused*/) {
  static constexpr unsigned char kOurs[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kOurs, sizeof(kOurs) - 1, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

std::shared_ptr<SSL_CTX> make_context(const SSL_METHOD* method) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(method), SSL_CTX_free);
  if (!context) return nullptr;
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_read_ahead(context.get(), 1);
  return context;
}

}  // namespace

Result<TlsContext> TlsContext::server(const std::string& certificate_file,
                                      const std::string& key_file) {
  std::shared_ptr<SSL_CTX> made = make_context(TLS_server_method());
  if (!made) return fail_tls("context");
  SSL_CTX_set_alpn_select_cb(made.get(), choose_protocol, nullptr);
  TlsContext context(std::move(made), TlsRole::kServer, false);
  ATOLL_CHECK(context.use_certificate(certificate_file, key_file));
  return context;
}

Result<void> TlsContext::use_certificate(const std::string& certificate_file,
                                         const std::string& key_file) {
  if (SSL_CTX_use_certificate_chain_file(context_.get(), certificate_file.c_str()) != 1) {
    return fail_tls("reading the certificate");
  }
  if (SSL_CTX_use_PrivateKey_file(context_.get(), key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return fail_tls("reading the key");
  }
  if (SSL_CTX_check_private_key(context_.get()) != 1) {
    return fail_tls("matching key and certificate");
  }
  return {};
}

Result<TlsContext> TlsContext::client(const std::string& ca_file, bool verify) {
  std::shared_ptr<SSL_CTX> context = make_context(TLS_client_method());
  if (!context) return fail_tls("context");
  if (verify) {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    int loaded = ca_file.empty()
                     ? SSL_CTX_set_default_verify_paths(context.get())
                     : SSL_CTX_load_verify_locations(context.get(), ca_file.c_str(), nullptr);
    if (loaded != 1) return fail_tls("reading the certificates to trust");
  }
  return TlsContext(std::move(context), TlsRole::kClient, verify);
}

Result<std::unique_ptr<TlsSession>> TlsSession::make(const TlsContext& context, int fd,
                                                     const std::string& server_name) {
  SSL* raw = SSL_new(context.get());
  if (raw == nullptr) return fail_tls("session");
  std::unique_ptr<TlsSession> session(new TlsSession(raw, fd));
  BIO* bio = BIO_new(socket_method());
  if (bio == nullptr) return fail_tls("session");
  BIO_set_data(bio, &session->fd_);
  BIO_set_init(bio, 1);
  SSL_set_bio(raw, bio, bio);
  if (context.role() == TlsRole::kServer) {
    SSL_set_accept_state(raw);
    return session;
  }
  SSL_set_connect_state(raw);
  in6_addr address{};
  bool is_address = ::inet_pton(AF_INET, server_name.c_str(), &address) == 1 ||
                    ::inet_pton(AF_INET6, server_name.c_str(), &address) == 1;
  if (!is_address && SSL_set_tlsext_host_name(raw, server_name.c_str()) != 1) {
    return fail_tls("server name");
  }
  if (context.verify()) {
    X509_VERIFY_PARAM* wanted = SSL_get0_param(raw);
    int set = is_address
                  ? X509_VERIFY_PARAM_set1_ip_asc(wanted, server_name.c_str())
                  : X509_VERIFY_PARAM_set1_host(wanted, server_name.data(), server_name.size());
    if (set != 1) return fail_tls("server name");
  }
  return session;
}

TlsSession::~TlsSession() { SSL_free(session_); }

Result<std::optional<std::size_t>> TlsSession::outcome(int result, std::size_t done,
                                                       const char* what) {
  wants_write_ = false;
  if (result > 0) return done;
  switch (SSL_get_error(session_, result)) {
    case SSL_ERROR_WANT_READ: return std::nullopt;
    case SSL_ERROR_WANT_WRITE: wants_write_ = true; return std::nullopt;
    case SSL_ERROR_ZERO_RETURN: return 0;
    default: broken_ = true; return fail_tls(what);
  }
}

Result<bool> TlsSession::try_handshake() {
  ERR_clear_error();
  ATOLL_TRY(std::optional<std::size_t> done,
            outcome(SSL_do_handshake(session_), 1, "the handshake"));
  if (done && *done == 0) return fail(Code::kIo, "TLS: the peer left during the handshake");
  return done.has_value();
}

Result<std::optional<std::size_t>> TlsSession::try_read(std::span<char> into) {
  ERR_clear_error();
  std::size_t got = 0;
  int result = SSL_read_ex(session_, into.data(), into.size(), &got);
  return outcome(result, got, "read");
}

Result<std::optional<std::size_t>> TlsSession::try_write(std::span<const iovec> from) {
  while (!from.empty() && from.front().iov_len == 0) from = from.subspan(1);
  if (from.empty()) return 0;
  const void* data = from.front().iov_base;
  std::size_t size = from.front().iov_len;
  if (size < kRecord && from.size() > 1) {
    gathered_.clear();
    for (const iovec& piece : from) {
      std::size_t room = kRecord - gathered_.size();
      gathered_.append(static_cast<const char*>(piece.iov_base), std::min(room, piece.iov_len));
    }
    data = gathered_.data();
    size = gathered_.size();
  }
  ERR_clear_error();
  std::size_t done = 0;
  int result = SSL_write_ex(session_, data, size, &done);
  return outcome(result, done, "write");
}

void TlsSession::say_goodbye() {
  if (broken_ || SSL_is_init_finished(session_) != 1) return;
  ERR_clear_error();
  SSL_shutdown(session_);
}

}  // namespace atl::http
