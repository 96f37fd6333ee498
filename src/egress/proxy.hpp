// The operator's proxy that all connections leave through, and how one asks it for a connection:
// SOCKS 5 or HTTP's CONNECT, with a user and a password or without. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atl::egress {

struct Proxy {
  enum class Kind { kSocks5, kHttp };

  Kind kind = Kind::kSocks5;
  std::string host;  // a name or an address
  std::uint16_t port = 0;
  std::string user, password;  // empty: none

  // "socks5://[USER:PASSWORD@]HOST:PORT", "http://…". User and password may be percent-encoded.
  static std::optional<Proxy> parse(std::string_view url);
};

// One connection's words with the proxy, until it is a way to `host`.
class ProxyHandshake {
 public:
  static constexpr std::size_t kMaxAnswer = 16 * 1024;
  enum class State { kTalking, kOpen, kRefused };

  // `host`: a canonical name, or an address as text.
  ProxyHandshake(const Proxy& proxy, std::string host, std::uint16_t port);

  // What there is to say now; empty: nothing.
  std::string say();
  // Reads what the proxy says and tells how much of it was for it: what is behind that is from the
  // host.
  std::size_t hear(std::string_view bytes);
  State state() const { return state_; }
  // Why it was refused. Text of the proxy's is not shown.
  const std::string& failure() const { return failure_; }

 private:
  std::size_t hear_socks(std::string_view bytes);
  std::size_t hear_http(std::string_view bytes);
  void socks_step();
  std::string socks_request() const;
  std::string http_request() const;
  void refuse(std::string why);

  Proxy proxy_;
  std::string host_;
  std::uint16_t port_;
  State state_ = State::kTalking;
  std::string to_say_, heard_, failure_;
  std::size_t wanted_ = 2;  // of SOCKS' next answer
  enum class Step { kMethod, kPassword, kReply, kBoundAddress } step_ = Step::kMethod;
};

}  // namespace atl::egress
