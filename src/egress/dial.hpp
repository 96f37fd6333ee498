// Connects to the first of several addresses that answers, and where that is a proxy asks it for
// the way to the host. The addresses were checked, and nothing is resolved here.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "egress/endpoint.hpp"
#include "egress/loop.hpp"
#include "egress/proxy.hpp"

namespace atl::egress {

// Options that bound what the kernel keeps for a connection, on both its ends.
void bound_buffers(int socket);
// The same for the end outside, and a look now and then whether the other side is still there.
// System calls that a connection with one short answer does not need.
void settle_outside(int socket);

class Dial final : public Watched {
 public:
  static constexpr std::chrono::seconds kEach{5};
  static constexpr std::chrono::seconds kForProxy{20};

  // With a socket, and its watch to be taken over if it has one; or with what went wrong last.
  using Then = std::function<void(UniqueFd, Watch*, const std::string& error)>;

  Dial(Loop& loop, Group& group, std::vector<Address> addresses, std::uint16_t port,
       std::optional<ProxyHandshake> handshake, Then then);
  // May call `then` before it returns.
  void start() { try_next(); }

 private:
  void on_ready(int fd, std::uint32_t events) override;
  void try_next();
  void failed(int error);
  void connected();
  void talk();
  bool say();
  void give_up(std::string error);
  void done();

  Group& group_;
  std::vector<Address> addresses_;
  std::uint16_t port_;
  std::optional<ProxyHandshake> handshake_;
  bool talks_ = false;  // with the proxy
  Then then_;
  std::size_t next_ = 0;
  std::string error_ = "no address";
  UniqueFd socket_;
  std::optional<Watch> watch_;
  Timer timer_;
};

}  // namespace atl::egress
