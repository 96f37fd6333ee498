#include "egress/dns_service.hpp"

#include <netinet/in.h>

#include <cstring>

#include "egress/dns_message.hpp"
#include "egress/sandbox.hpp"

namespace atl::egress {

namespace {

constexpr std::uint32_t kTtl = 30;

std::string answer_reverse(Sandbox& sandbox, const dns::Query& query) {
  std::optional<Address> address = dns::address_in(query.name);
  const std::string* name = address ? sandbox.names().name_of(*address) : nullptr;
  if (name == nullptr) return dns::answer_nothing(query, dns::Status::kNoName);
  return dns::answer_name(query, *name, kTtl);
}

// What is said about a name once its answer from outside is known.
std::string answer_known(Sandbox& sandbox, const dns::Query& query, const Answer& answer) {
  if (answer.status != dns::Status::kOk) return dns::answer_nothing(query, answer.status);
  if (answer.addresses.empty() && !answer.by_proxy)
    return dns::answer_nothing(query, dns::Status::kOk);
  std::optional<Address> address = sandbox.names().address_of(query.name);
  if (!address) {
    sandbox.refused(query.name, 0, Reason::kTooManyNames);
    return dns::answer_nothing(query, dns::Status::kServerFailure);
  }
  return dns::answer_address(query, *address, kTtl);
}

// The control message with the address that was asked, which the answer must come from.
struct PacketInfo {
  alignas(cmsghdr) char bytes[CMSG_SPACE(sizeof(in6_pktinfo))];
};

void send_from(int socket, const sockaddr_in6& peer, const PacketInfo& info,
               const std::string& message) {
  iovec part{const_cast<char*>(message.data()), message.size()};
  msghdr out{};
  out.msg_name = const_cast<sockaddr_in6*>(&peer);
  out.msg_namelen = sizeof peer;
  out.msg_iov = &part;
  out.msg_iovlen = 1;
  out.msg_control = const_cast<PacketInfo*>(&info);
  out.msg_controllen = sizeof info;
  ::sendmsg(socket, &out, MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace

void answer_query(Sandbox& sandbox, std::string_view bytes,
                  std::function<void(const std::string&)> reply) {
  dns::ReadQuery read = dns::read_query(bytes);
  if (!read.query) {
    if (!read.refusal.empty()) reply(read.refusal);
    return;
  }
  dns::Query& query = *read.query;
  if (query.name.empty()) return reply(dns::answer_nothing(query, dns::Status::kNoName));
  if (query.is(dns::Type::kPtr)) return reply(answer_reverse(sandbox, query));
  bool wants_address = query.is(dns::Type::kA);
  if (!sandbox.policy().rules().may_resolve(query.name)) {
    bool nxdomain = sandbox.context().nxdomain;
    if (wants_address) sandbox.refused(query.name, 0, Reason::kNameDenied);
    if (wants_address && !nxdomain) {
      return reply(dns::answer_address(query, NameTable::blocked(), kTtl));
    }
    return reply(dns::answer_nothing(query, nxdomain ? dns::Status::kNoName : dns::Status::kOk));
  }
  if (!wants_address) return reply(dns::answer_nothing(query, dns::Status::kOk));
  std::string name = query.name;
  bool taken = sandbox.look_up(name, [&sandbox, query, reply](const Answer& answer) {
    reply(answer_known(sandbox, query, answer));
  });
  if (!taken) {
    sandbox.refused(name, 0, Reason::kTooManyNames);
    reply(dns::answer_nothing(query, dns::Status::kServerFailure));
  }
}

DnsService::DnsService(Sandbox& sandbox, UniqueFd socket)
    : sandbox_(sandbox),
      socket_(std::make_shared<UniqueFd>(std::move(socket))),
      watch_(sandbox.group(), socket_->get(), *this),
      again_(sandbox.context().loop, [this] { watch_.resume(); }) {
  watch_.want(EPOLLIN);
}

void DnsService::on_ready(int, std::uint32_t) {
  for (int i = 0; i < kPerTurn; ++i) {
    // Datagrams that come too fast are dropped by the kernel.
    if (!rate_.take(sandbox_.context().loop.now())) {
      watch_.suspend();
      again_.start(std::chrono::milliseconds(20));
      return;
    }
    if (!read_one()) return;
  }
}

bool DnsService::read_one() {
  char bytes[2048];
  sockaddr_in6 peer{};
  PacketInfo info{};
  iovec part{bytes, sizeof bytes};
  msghdr in{};
  in.msg_name = &peer;
  in.msg_namelen = sizeof peer;
  in.msg_iov = &part;
  in.msg_iovlen = 1;
  in.msg_control = &info;
  in.msg_controllen = sizeof info;
  ssize_t got = ::recvmsg(socket_->get(), &in, MSG_DONTWAIT);
  if (got < 0) return errno != EAGAIN;
  bool whole = (in.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0 && in.msg_controllen > 0;
  if (!whole || peer.sin6_port == 0) return true;
  answer_query(sandbox_, {bytes, static_cast<std::size_t>(got)},
               [socket = socket_, peer, info](const std::string& message) {
                 send_from(socket->get(), peer, info, message);
               });
  return true;
}

DnsStream::DnsStream(Sandbox& sandbox, UniqueFd socket)
    : sandbox_(sandbox),
      socket_(std::move(socket)),
      watch_(sandbox.group(), socket_.get(), *this),
      timer_(sandbox.context().loop, [this] { sandbox_.drop(*this); }) {}

void DnsStream::start() {
  timer_.start(kSilence);
  watch_.want(EPOLLIN);
}

void DnsStream::on_ready(int, std::uint32_t) {
  char bytes[2048];
  ssize_t got = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) return sandbox_.drop(*this);
  received_.append(bytes, static_cast<std::size_t>(got));
  while (received_.size() >= 2) {
    std::size_t size =
        static_cast<std::uint8_t>(received_[0]) << 8 | static_cast<std::uint8_t>(received_[1]);
    if (size > kMaxQuery || !rate_.take(sandbox_.context().loop.now())) {
      return sandbox_.drop(*this);
    }
    if (received_.size() < 2 + size) return;
    std::string query = received_.substr(2, size);
    received_.erase(0, 2 + size);
    timer_.start(kSilence);
    answer_query(sandbox_, query, [weak = weak_from_this()](const std::string& message) {
      if (auto self = weak.lock()) self->answer(message);
    });
  }
}

void DnsStream::answer(const std::string& message) {
  std::string bytes{static_cast<char>(message.size() >> 8), static_cast<char>(message.size())};
  bytes += message;
  // A client that does not read its answers gets no more of them.
  ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(bytes.size())) sandbox_.drop(*this);
}

}  // namespace atl::egress
