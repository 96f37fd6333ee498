// A connection whose TLS is opened, because its host has secrets or header rules: the relay is the
// server to the sandbox, in the name of the instance's authority, and a client of the host, which
// it verifies. Requests pass one by one; answers as they come. Owned by its Connection, which has
// the sockets.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "egress/http_requests.hpp"
#include "egress/protocol.hpp"
#include "egress/request_gate.hpp"
#include "egress/tls_end.hpp"

namespace atl::egress {

class Connection;

class Interception {
 public:
  explicit Interception(Connection& connection);

  // With the client's first bytes.
  void start(std::string_view first);
  // The socket to the host is there.
  void connected();
  void on_ready(bool inside, std::uint32_t events);
  // The host cannot be reached: the first request is answered with that.
  void give_up(HttpRefusal refusal, Reason reason, const std::string& detail);
  void too_slow();
  // Bytes that it keeps.
  std::size_t held() const;
  // Events to wait for.
  std::uint32_t inside_wants() const;
  std::uint32_t outside_wants() const;

 private:
  // One socket, and what came from it.
  struct Side {
    std::unique_ptr<TlsEnd> tls;
    bool ended = false;  // nothing more comes
    bool clean = false;  // and the other side has said so
    bool is_open() const { return tls && tls->is_open(); }
    bool blocked() const { return tls && !tls->out().empty(); }
  };

  void work();
  void fail(HttpRefusal refusal, Reason reason, const std::string& detail);
  void shake_inside();
  void shake_outside();
  void move_up();
  void move_down();
  void send_up(std::string& plain);
  void look_for_upgrade(std::string_view bytes);
  void refuse(HttpRefusal refusal);
  void answer(HttpRefusal refusal, std::string_view sentence);
  void pass_ends();
  void watch_time();
  void receive(Side& side, int fd, std::size_t room);
  void flush(Side& side, int fd);
  bool is_over() const;

  Connection& connection_;
  Side inside_, outside_;
  RequestGate gate_;
  HttpRequests requests_;
  std::string pending_;  // requests that wait for the host's TLS
  std::string status_;   // the first bytes of the answer to an upgrade
  std::string sentence_;
  std::optional<HttpRefusal> failure_;        // the host cannot be had
  std::optional<HttpRefusal> after_answers_;  // said when the host has ended
  bool answered_ = false;                     // the host has said something
  bool up_passed_ = false;
  bool closing_ = false;  // the last records to the sandbox are on their way
};

}  // namespace atl::egress
