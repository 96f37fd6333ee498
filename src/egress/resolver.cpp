#include "egress/resolver.hpp"

#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <optional>

#include "base/unique_fd.hpp"

namespace atl::egress {

class Resolver::Lookup final : public Watched {
 public:
  Lookup(Resolver& resolver, std::string name, Then then)
      : group_(resolver.group_),
        servers_(resolver.servers_),
        name_(std::move(name)),
        then_(std::move(then)),
        timer_(resolver.loop_, [this] { try_next(); }) {
    timer_.start(std::chrono::milliseconds(0));
  }

 private:
  // UDP, and for a truncated answer TCP, to the next server.
  void try_next() {
    if (tries_ >= servers_.size() * kRounds) return finish({});
    server_ = servers_[tries_++ % servers_.size()];
    send_query(SOCK_DGRAM);
  }

  void send_query(int type) {
    watch_.reset();
    SocketAddress to(server_);
    socket_.reset(::socket(to.family(), type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    timer_.start(kTry);
    bool random = ::getrandom(&id_, sizeof id_, 0) == sizeof id_;
    int connected = socket_ && random ? ::connect(socket_.get(), to.get(), to.size) : -1;
    if (connected != 0 && (type == SOCK_DGRAM || errno != EINPROGRESS)) return fail_soon();
    by_tcp_ = type == SOCK_STREAM;
    query_ = dns::make_query(id_, name_, type_);
    if (by_tcp_) {
      query_.insert(0, {static_cast<char>(query_.size() >> 8), static_cast<char>(query_.size())});
    }
    received_.clear();
    watch_.emplace(group_, socket_.get(), *this);
    watch_->want(by_tcp_ ? EPOLLOUT : EPOLLIN);
    if (!by_tcp_ && ::send(socket_.get(), query_.data(), query_.size(), MSG_NOSIGNAL) < 0) {
      fail_soon();
    }
  }

  // Deferred: no caller expects its answer inside the call.
  void fail_soon() {
    watch_.reset();
    timer_.start(std::chrono::milliseconds(10));
  }

  void on_ready(int, std::uint32_t events) override {
    if (by_tcp_ && (events & EPOLLOUT) != 0) {
      ssize_t sent = ::send(socket_.get(), query_.data(), query_.size(), MSG_NOSIGNAL);
      if (sent != static_cast<ssize_t>(query_.size())) return fail_soon();
      watch_->want(EPOLLIN);
      return;
    }
    char bytes[4096];
    ssize_t got = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return;
    if (got < 0 || (by_tcp_ && got == 0)) return fail_soon();  // nobody listens there
    std::string_view message(bytes, static_cast<std::size_t>(got));
    if (by_tcp_) {
      received_ += message;
      if (received_.size() < 2) return;
      std::size_t size =
          static_cast<std::uint8_t>(received_[0]) << 8 | static_cast<std::uint8_t>(received_[1]);
      if (received_.size() < 2 + size) return;
      message = std::string_view(received_).substr(2, size);
    }
    std::optional<dns::Reply> reply = dns::read_reply(message, id_, name_, type_);
    if (!reply) {
      if (by_tcp_) fail_soon();
      return;  // by UDP: not from our server, perhaps, so the right one may still come
    }
    take(std::move(*reply));
  }

  void take(dns::Reply reply) {
    if (reply.truncated && !by_tcp_) return send_query(SOCK_STREAM);
    if (reply.status == dns::Status::kServerFailure) return fail_soon();
    bool none = reply.status == dns::Status::kOk && reply.addresses.empty();
    if (none && type_ == dns::Type::kA) {
      type_ = dns::Type::kAaaa;
      tries_ = 0;
      return try_next();
    }
    if (reply.addresses.size() > Answer::kMaxAddresses) {
      reply.addresses.resize(Answer::kMaxAddresses);
    }
    finish({reply.status, std::move(reply.addresses), std::chrono::seconds(reply.ttl)});
  }

  void finish(Answer answer) {
    watch_.reset();
    socket_.reset();
    timer_.cancel();
    // It may destroy this.
    if (Then then = std::exchange(then_, nullptr)) then(std::move(answer));
  }

  Group& group_;
  std::vector<Endpoint> servers_;
  std::string name_;
  Then then_;
  dns::Type type_ = dns::Type::kA;
  Endpoint server_;
  std::size_t tries_ = 0;
  std::uint16_t id_ = 0;
  bool by_tcp_ = false;
  std::string query_, received_;
  UniqueFd socket_;
  std::optional<Watch> watch_;
  Timer timer_;
};

void Resolver::use(std::vector<Endpoint> servers) {
  if (servers.size() > kMaxServers) servers.resize(kMaxServers);
  servers_ = std::move(servers);
}

std::shared_ptr<Resolver::Lookup> Resolver::look_up(std::string name, Then then) {
  return std::make_shared<Lookup>(*this, std::move(name), std::move(then));
}

std::vector<Endpoint> servers_in(std::string_view resolv_conf) {
  std::vector<Endpoint> servers;
  while (!resolv_conf.empty()) {
    std::size_t end = std::min(resolv_conf.find('\n'), resolv_conf.size());
    std::string_view line = resolv_conf.substr(0, end);
    resolv_conf.remove_prefix(std::min(end + 1, resolv_conf.size()));
    constexpr std::string_view kKey = "nameserver", kBlank = " \t\r";
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(kKey.size());
    std::size_t first = line.find_first_not_of(kBlank);
    if (first == 0 || first == line.npos) continue;
    line.remove_prefix(first);
    line = line.substr(0, line.find_first_of(kBlank));
    if (std::optional<Endpoint> server = Endpoint::parse(line, 53)) servers.push_back(*server);
  }
  return servers;
}

}  // namespace atl::egress
