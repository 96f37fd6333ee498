#include "egress/dial.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace atl::egress {

namespace {

void set(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

// An end that nobody reads from holds at most a window of 1 MiB; one that nobody takes from holds
// as much that is not sent yet, beyond the window of the other side. Those that a listener
// accepts have its options.
void bound_buffers(int socket) {
  constexpr int kWindow = 1 << 20, kNotSent = 1 << 20;
  set(socket, IPPROTO_TCP, TCP_WINDOW_CLAMP, kWindow);
  set(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, kNotSent);
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);  // its writer did not wait either
}

void settle_outside(int socket) {
  bound_buffers(socket);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

Dial::Dial(Loop& loop, Group& group, std::vector<Address> addresses, std::uint16_t port, Then then)
    : group_(group),
      addresses_(std::move(addresses)),
      port_(port),
      then_(std::move(then)),
      timer_(loop, [this] { failed(ETIMEDOUT); }) {}

void Dial::try_next() {
  watch_.reset();
  socket_.reset();
  if (next_ >= addresses_.size()) {
    timer_.cancel();
    Then then = std::exchange(then_, nullptr);
    return then(UniqueFd(), nullptr, error_);
  }
  SocketAddress to({addresses_[next_++], port_});
  socket_.reset(::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_) return failed(errno);
  if (::connect(socket_.get(), to.get(), to.size) != 0 && errno != EINPROGRESS) {
    return failed(errno);
  }
  // What is on this machine has answered already.
  std::uint8_t state = 0;
  socklen_t size = sizeof state;
  bool known = ::getsockopt(socket_.get(), IPPROTO_TCP, TCP_INFO, &state, &size) == 0;
  if (known && state == TCP_ESTABLISHED) return done();
  timer_.start(kEach);
  watch_.emplace(group_, socket_.get(), *this);
  watch_->want(EPOLLOUT);
}

void Dial::failed(int error) {
  error_ = ::strerrordesc_np(error);
  try_next();
}

void Dial::on_ready(int, std::uint32_t) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  error != 0 ? failed(error) : done();
}

void Dial::done() {
  timer_.cancel();
  Then then = std::exchange(then_, nullptr);
  then(std::move(socket_), watch_ ? &*watch_ : nullptr, {});
}

}  // namespace atl::egress
