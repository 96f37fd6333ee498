// TLS over a socket that is never blocked on. OpenSSL reads and writes the socket itself, by calls
// that return at once; whoever drives a session waits for the socket in between.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace atl::http {

enum class TlsRole { kServer, kClient };

class TlsContext {
 public:
  static Result<TlsContext> server(const std::string& certificate_file,
                                   const std::string& key_file);
  // An empty `ca_file` means the certificates of the system.
  static Result<TlsContext> client(const std::string& ca_file, bool verify);
  // What this side shows of itself; a client needs it only where the server asks.
  Result<void> use_certificate(const std::string& certificate_file, const std::string& key_file);

  ssl_ctx_st* get() const { return context_.get(); }
  TlsRole role() const { return role_; }
  bool verify() const { return verify_; }

 private:
  TlsContext(std::shared_ptr<ssl_ctx_st> context, TlsRole role, bool verify)
      : context_(std::move(context)), role_(role), verify_(verify) {}

  std::shared_ptr<ssl_ctx_st> context_;
  TlsRole role_;
  bool verify_;
};

class TlsSession {
 public:
  // `server_name` is what a client asks for and verifies; the descriptor must outlive the session.
  static Result<std::unique_ptr<TlsSession>> make(const TlsContext& context, int fd,
                                                  const std::string& server_name);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;
  ~TlsSession();

  // Each of these: nullopt or false when the socket must become ready first, for what wants_write()
  // says.
  Result<bool> try_handshake();
  Result<std::optional<std::size_t>> try_read(std::span<char> into);
  Result<std::optional<std::size_t>> try_write(std::span<const iovec> from);
  bool wants_write() const { return wants_write_; }
  // Says that nothing more comes, as far as the socket takes it now.
  void say_goodbye();

 private:
  TlsSession(ssl_st* session, int fd) : session_(session), fd_(fd) {}
  Result<std::optional<std::size_t>> outcome(int result, std::size_t done, const char* what);

  ssl_st* session_;
  int fd_;  // the socket, for OpenSSL's calls
  bool wants_write_ = false;
  bool broken_ = false;
  std::string gathered_;  // small pieces become one record
};

}  // namespace atl::http
