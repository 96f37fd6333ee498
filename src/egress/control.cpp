#include "egress/control.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "codec/json.hpp"
#include "egress/cleanse.hpp"
#include "egress/frame.hpp"

namespace atl::egress {

class Control::Client final : public Watched {
 public:
  Client(Control& control, UniqueFd socket)
      : control_(control),
        socket_(std::move(socket)),
        watch_(control.group_, socket_.get(), *this) {
    watch_.want(EPOLLIN);
  }

  void send(const Reply& reply) {
    out_ += frame_of(codec::encode(reply));
    if (out_.size() > 2 * kMaxFrame) return control_.drop(*this);  // it does not read
    flush();
  }

 private:
  void on_ready(int, std::uint32_t events) override {
    if ((events & EPOLLOUT) != 0) flush();
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read_some();
  }

  // Never beyond the end of one frame, so that descriptors belong to the frame being read.
  void read_some() {
    std::size_t wanted = in_.size() < 4 ? 4 : 4 + frame_size(in_);
    char bytes[64 * 1024];
    std::size_t room = std::min(sizeof bytes, wanted - in_.size());
    ssize_t got = receive(bytes, room);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0 || fds_.size() > kMaxFds) return control_.drop(*this);
    in_.append(bytes, static_cast<std::size_t>(got));
    if (in_.size() < 4) return;
    if (frame_size(in_) > kMaxFrame) return control_.drop(*this);
    if (in_.size() < 4 + frame_size(in_)) return;
    std::string frame = in_.substr(4);
    cleanse(in_);
    in_ = {};
    codec::Decoded<Request> request =
        codec::decode<Request>(frame, {}, {.max_bytes = kMaxFrame, .max_depth = 16});
    // It may have held a secret.
    ::explicit_bzero(bytes, sizeof bytes);
    cleanse(frame);
    if (!request) return control_.drop(*this);
    Reply reply = control_.handler_(*request, std::exchange(fds_, {}));
    cleanse(*request);
    reply.id = request->id;
    send(reply);
  }

  ssize_t receive(char* bytes, std::size_t size) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 8)];
    iovec part{bytes, size};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0) return got;
    for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
      if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
      std::size_t count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(one) + i * sizeof fd, sizeof fd);
        fds_.emplace_back(fd);
      }
    }
    return got;
  }

  void flush() {
    ssize_t sent = ::send(socket_.get(), out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return control_.drop(*this);
    out_.erase(0, static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
    watch_.want(out_.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT);
  }

  Control& control_;
  UniqueFd socket_;
  Watch watch_;
  std::string in_, out_;
  std::vector<UniqueFd> fds_;
};

Control::Control(Loop& loop, Group& group, int listener, uid_t client_uid, Handler handler,
                 std::function<void()> clients_changed)
    : loop_(loop),
      group_(group),
      listener_(listener),
      client_uid_(client_uid),
      handler_(std::move(handler)),
      changed_(std::move(clients_changed)),
      watch_(group, listener, *this) {
  watch_.want(EPOLLIN);
}

void Control::push(const Reply& reply) {
  auto all = clients_;
  for (auto& [key, client] : all) client->send(reply);
}

void Control::on_ready(int, std::uint32_t) {
  UniqueFd socket(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return;
  ucred peer{};
  socklen_t size = sizeof peer;
  bool known = ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
               (peer.uid == client_uid_ || peer.uid == 0);
  if (!known || clients_.size() >= kMaxClients) return;
  auto client = std::make_shared<Client>(*this, std::move(socket));
  clients_.emplace(client.get(), client);
  changed_();
}

void Control::drop(Client& client) {
  auto node = clients_.extract(&client);
  if (node.empty()) return;
  loop_.bury(std::move(node.mapped()));
  changed_();
}

}  // namespace atl::egress
