// The control socket of atoll-egress: clients connect, ask, and hear of refusals. A client that
// breaks the protocol is disconnected.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "egress/loop.hpp"
#include "egress/protocol.hpp"

namespace atl::egress {

class Control final : public Watched {
 public:
  static constexpr std::size_t kMaxClients = 8;
  static constexpr std::size_t kMaxFds = 2;

  using Handler = std::function<Reply(const Request&, std::vector<UniqueFd> fds)>;

  // `listener` is owned by somebody else. Clients of that uid and root's are served.
  Control(Loop& loop, Group& group, int listener, uid_t client_uid, Handler handler,
          std::function<void()> clients_changed);

  std::size_t clients() const { return clients_.size(); }
  // To every client.
  void push(const Reply& reply);

 private:
  class Client;

  void on_ready(int fd, std::uint32_t events) override;
  void drop(Client& client);

  Loop& loop_;
  Group& group_;
  int listener_;
  uid_t client_uid_;
  Handler handler_;
  std::function<void()> changed_;
  Watch watch_;
  std::map<Client*, std::shared_ptr<Client>> clients_;
};

}  // namespace atl::egress
