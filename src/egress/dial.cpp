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

Dial::Dial(Loop& loop, Group& group, std::vector<Address> addresses, std::uint16_t port,
           std::optional<ProxyHandshake> handshake, Then then)
    : group_(group),
      addresses_(std::move(addresses)),
      port_(port),
      handshake_(std::move(handshake)),
      then_(std::move(then)),
      timer_(loop, [this] { talks_ ? give_up("the proxy does not answer") : failed(ETIMEDOUT); }) {}

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
  if (known && state == TCP_ESTABLISHED) return connected();
  timer_.start(kEach);
  watch_.emplace(group_, socket_.get(), *this);
  watch_->want(EPOLLOUT);
}

void Dial::failed(int error) {
  error_ = ::strerrordesc_np(error);
  try_next();
}

void Dial::on_ready(int, std::uint32_t) {
  if (talks_) return talk();
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  error != 0 ? failed(error) : connected();
}

void Dial::connected() {
  if (!handshake_) return done();
  talks_ = true;
  timer_.start(kForProxy);
  if (!watch_) watch_.emplace(group_, socket_.get(), *this);
  watch_->want(EPOLLIN);
  (void)say();
}

// A few bytes on a connection on which little was said: they find room.
bool Dial::say() {
  std::string words = handshake_->say();
  ssize_t sent = ::send(socket_.get(), words.data(), words.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(words.size())) return true;
  give_up("the proxy has closed the connection");
  return false;
}

// Takes no byte that is not the proxy's own: a host may speak first.
void Dial::talk() {
  char bytes[2048];
  ssize_t got = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT | MSG_PEEK);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return give_up("the proxy has closed the connection");
  std::size_t used = handshake_->hear({bytes, static_cast<std::size_t>(got)});
  (void)!::recv(socket_.get(), bytes, used, MSG_DONTWAIT);
  switch (handshake_->state()) {
    case ProxyHandshake::State::kTalking: (void)say(); return;
    case ProxyHandshake::State::kOpen: return done();
    case ProxyHandshake::State::kRefused: return give_up(handshake_->failure());
  }
}

void Dial::give_up(std::string error) {
  error_ = std::move(error);
  next_ = addresses_.size();
  talks_ = false;
  try_next();
}

void Dial::done() {
  timer_.cancel();
  Then then = std::exchange(then_, nullptr);
  then(std::move(socket_), watch_ ? &*watch_ : nullptr, {});
}

}  // namespace atl::egress
