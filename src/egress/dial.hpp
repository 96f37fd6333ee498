// Connects to the first of several addresses that answers. They were checked, and nothing is
// resolved here.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "egress/endpoint.hpp"
#include "egress/loop.hpp"

namespace atl::egress {

// Options that bound what the kernel keeps for a connection, on both its ends.
void bound_buffers(int socket);
// The same for the end outside, and a look now and then whether the other side is still there.
// System calls that a connection with one short answer does not need.
void settle_outside(int socket);

class Dial final : public Watched {
 public:
  static constexpr std::chrono::seconds kEach{5};

  // With a socket, and its watch to be taken over if it has one; or with what went wrong last.
  using Then = std::function<void(UniqueFd, Watch*, const std::string& error)>;

  Dial(Loop& loop, Group& group, std::vector<Address> addresses, std::uint16_t port, Then then);
  // May call `then` before it returns.
  void start() { try_next(); }

 private:
  void on_ready(int fd, std::uint32_t events) override;
  void try_next();
  void failed(int error);
  void done();

  Group& group_;
  std::vector<Address> addresses_;
  std::uint16_t port_;
  Then then_;
  std::size_t next_ = 0;
  std::string error_ = "no address";
  UniqueFd socket_;
  std::optional<Watch> watch_;
  Timer timer_;
};

}  // namespace atl::egress
