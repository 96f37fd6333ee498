// kConnect: a TCP connection to a server inside the sandbox, relayed both ways with flow control.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest/connection.hpp"
#include "guest/input.hpp"
#include "guest/operations.hpp"
#include "guest/server.hpp"

namespace atl::guest {
namespace {

class ForwardChannel final : public SourceChannel, public Pollable, public InputOwner {
 public:
  ForwardChannel(Connection& connection, std::uint32_t id, std::uint16_t port)
      : SourceChannel(connection, id), port_(port), input_(server().loop(), *this) {
    connect(AF_INET);
  }
  ~ForwardChannel() override { close(); }

  void on_data(std::string_view bytes) override { input_.write(bytes); }
  void on_eof() override {
    input_.finish();
    host_ended_ = true;
    if (server_ended_) finish();
  }
  void input_consumed(std::size_t bytes) override { consumed(bytes); }

  void on_events(std::uint32_t) override {
    if (!connected_) return finish_connecting();
    schedule();
  }

 private:
  void connect(sa_family_t family) {
    close();
    family_ = family;
    socket_.reset(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket_) return refused(errno);
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(port_);
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port_);
    six.sin6_addr = IN6ADDR_LOOPBACK_INIT;
    int result = family == AF_INET
                     ? ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&four), sizeof four)
                     : ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&six), sizeof six);
    if (result != 0 && errno != EINPROGRESS) return refused(errno);
    server().loop().add(socket_.get(), EPOLLIN | EPOLLOUT | EPOLLET, *this);
  }

  void refused(int error) {
    if (family_ == AF_INET) return connect(AF_INET6);
    fail_with(Error(Code::kNotFound,
                    "Nothing in the sandbox listens on port " + std::to_string(port_) + ".",
                    error));
  }

  void finish_connecting() {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return refused(error);
    connected_ = true;
    int on = 1;  // the relay gathers nothing: what comes in goes out
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    input_.open(UniqueFd(::fcntl(socket_.get(), F_DUPFD_CLOEXEC, 3)), Input::Kind::kSocket);
    reply({});
    schedule();
  }

  Filled fill(std::span<char> room) override {
    if (!connected_ || server_ended_) return {0, More::kLater};
    ssize_t size = ::read(socket_.get(), room.data(), room.size());
    if (size > 0) return {static_cast<std::size_t>(size), More::kYes};
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return {0, More::kLater};
    return {0, More::kEnd};
  }

  // Half-closed: the other direction goes on until the host ends it too.
  void ended() override {
    connection().send(FrameType::kEof, id(), kStdout, {});
    close();
    server_ended_ = true;
    if (host_ended_) finish();
  }

  void close() {
    server().loop().forget(*this);
    if (socket_) server().loop().remove(socket_.get());
    socket_.reset();
  }

  std::uint16_t port_;
  sa_family_t family_ = AF_INET;
  bool connected_ = false;
  bool server_ended_ = false;
  bool host_ended_ = false;
  UniqueFd socket_;
  Input input_;
};

}  // namespace

ChannelPtr open_connect(Connection& connection, std::uint32_t id, std::uint16_t port) {
  return std::make_unique<ForwardChannel>(connection, id, port);
}

}  // namespace atl::guest
