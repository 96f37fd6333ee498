// One client connection of the server: requests are read, handled and answered one after the other.
// Internal to http/.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "http/server_core.hpp"
#include "http/server_exchange.hpp"
#include "http/tls.hpp"
#include "http/wire.hpp"

namespace atl::http {

class Connection {
 public:
  Connection(std::shared_ptr<ServerCore> core, UniqueFd fd, std::optional<TlsContext> tls);

  // Until the connection is over; keeps `self` alive.
  static Task<void> run(std::shared_ptr<Connection> self);
  // A connection that waits for its next request is closed; a busy one after its answer.
  void stop_if_idle() {
    if (idle_) wire_->expire();
  }

 private:
  Task<void> serve();
  // The size of the next whole head in the inbox; nullopt when the connection is over.
  Task<std::optional<std::size_t>> read_head();
  Task<void> handle();
  Task<bool> drop_unread_body();
  Task<void> refuse(int status, std::string why);
  Task<void> linger();

  std::shared_ptr<ServerCore> core_;
  std::shared_ptr<Wire> wire_;
  std::optional<TlsContext> tls_;
  ServerExchange exchange_;
  bool idle_ = true;
  bool first_ = true;
};

}  // namespace atl::http
