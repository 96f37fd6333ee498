#include "egress/sandbox.hpp"

#include <sys/socket.h>

#include <algorithm>

#include "egress/connection.hpp"
#include "egress/endpoint.hpp"

namespace atl::egress {

namespace {

constexpr int kAcceptsPerTurn = 16;

// Loopback, what stands for it, and metadata services: not even allow_private opens these.
bool is_never_private(const Address& address) {
  static const std::array<Network, 6> kNever{
      Network::parse("0.0.0.0/8").value(),       Network::parse("127.0.0.0/8").value(),
      Network::parse("::/96").value(),           Network::parse("169.254.169.254").value(),
      Network::parse("100.100.100.200").value(), Network::parse("fd00:ec2::254").value()};
  return std::ranges::any_of(kNever, [&](const Network& one) { return one.contains(address); });
}

}  // namespace

Sandbox::Sandbox(Context& context, std::string id, Policy policy, RequestEdits edits,
                 std::shared_ptr<Tenant> tenant, std::uint64_t used_bytes)
    : context_(context),
      id_(std::move(id)),
      policy_(std::move(policy)),
      edits_(std::move(edits)),
      group_(context.loop),
      accept_again_(context.loop,
                    [this] {
                      listener_watch_->resume();
                      watch_listener();
                    }),
      tenant_(std::move(tenant)),
      used_before_(used_bytes),
      room_(context.loop, [this] { on_room(); }),
      used_up_(context.loop, [this] { judge_again(); }) {
  limits_changed();
}

// Connections before the group that they are watched in.
Sandbox::~Sandbox() {
  std::size_t left = connections_.size() + dns_streams_.size();
  for (auto& [key, connection] : connections_) connection->abandon();
  connections_.clear();
  dns_streams_.clear();
  context_.waiting.erase(this);
  freed(left);
}

void Sandbox::leave() {
  accept_again_.cancel();
  listener_watch_.reset();
  listener_.reset();
  dns_.reset();
  asked_.clear();  // answers on their way hold the DNS socket
  std::size_t streams = dns_streams_.size();
  dns_streams_.clear();
  freed(streams);
  std::vector<std::shared_ptr<Connection>> open;
  for (auto& [key, connection] : connections_) open.push_back(connection);
  for (auto& connection : open) connection->reset();
  context_.waiting.erase(this);
}

void Sandbox::use(UniqueFd listener, UniqueFd dns) {
  dns_.reset();
  listener_watch_.reset();
  listener_ = std::move(listener);
  bound_buffers(listener_.get());
  listener_watch_.emplace(group_, listener_.get(), *this);
  dns_.emplace(*this, std::move(dns));
  watch_listener();
}

void Sandbox::set_policy(Policy policy, RequestEdits edits) {
  policy_ = std::move(policy);
  edits_ = std::move(edits);
  judge_again();
}

void Sandbox::judge_again() {
  std::vector<std::shared_ptr<Connection>> open;
  for (auto& [key, connection] : connections_) open.push_back(connection);
  for (auto& connection : open) connection->judge_again();
}

Figures Sandbox::figures() const {
  Figures all{.rx_bytes = rx_,
              .tx_bytes = tx_,
              .opened = opened_,
              .refused = refused_,
              .names = names_.size()};
  for (const auto& [key, connection] : connections_) {
    all.connections.push_back(connection->figures());
  }
  return all;
}

bool Sandbox::look_up(const std::string& name, Then then) {
  if (const std::vector<Address>* addresses = policy_.pinned(name)) {
    then({.status = dns::Status::kOk, .addresses = *addresses, .ttl = kMaxTtl});
    return true;
  }
  auto now = context_.loop.now();
  if (auto found = known_.find(name); found != known_.end()) {
    if (found->second.until > now) {
      then(found->second.answer);
      return true;
    }
    known_.erase(found);
  }
  if (auto found = asked_.find(name); found != asked_.end()) {
    if (found->second.waiting.size() >= 2 * context_.limits.connections) return false;
    found->second.waiting.push_back(std::move(then));
    return true;
  }
  // A name that is in the table was paid for already.
  bool is_new = !names_.holds(name);
  if (asked_.size() >= kMaxLookups || (is_new && !new_names_.take(now))) return false;
  if (context_.proxy) {
    then({.status = dns::Status::kOk, .addresses = {}, .by_proxy = true});
    return true;
  }
  Asked& asked = asked_[name];
  asked.waiting.push_back(std::move(then));
  asked.lookup = context_.resolver.look_up(
      name, [this, name](Answer answer) { learned(name, std::move(answer)); });
  return true;
}

void Sandbox::learned(const std::string& name, Answer answer) {
  auto node = asked_.extract(name);
  context_.loop.bury(node.mapped().lookup);
  bool found = answer.status == dns::Status::kOk && !answer.addresses.empty();
  auto keep = found ? std::min(answer.ttl, kMaxTtl) : kNegativeTtl;
  // An answer that may not be kept still serves those who wait for it. Failures are not kept.
  if (answer.status != dns::Status::kServerFailure && keep.count() > 0) {
    if (known_.size() >= NameTable::kMaxNames) {
      std::erase_if(known_,
                    [&](const auto& one) { return one.second.until <= context_.loop.now(); });
    }
    if (known_.size() < NameTable::kMaxNames) {
      known_[name] = {answer, context_.loop.now() + keep};
    }
  }
  for (Then& then : node.mapped().waiting) then(answer);
}

std::optional<Denial> Sandbox::judge(const std::string& name, const Address& address,
                                     std::uint16_t port) const {
  const Rules& rules = policy_.rules();
  if (used_up()) return Denial{Reason::kBytesUsedUp, {}};
  if (!name.empty()) {
    if (rules.judge(name, port).action == Action::kAllow) return std::nullopt;
    return Denial{rules.may_resolve(name) ? Reason::kPortDenied : Reason::kNameDenied, {}};
  }
  if (rules.judge(address, port).action != Action::kAllow) {
    return Denial{Reason::kAddressDenied, {}};
  }
  if (!may_dial(name, address)) return Denial{Reason::kNotPublic, address.to_string()};
  return std::nullopt;
}

bool Sandbox::may_dial(const std::string& name, const Address& address) const {
  const std::vector<Address>* pinned = policy_.pinned(name.empty() ? address.to_string() : name);
  if (pinned != nullptr && std::ranges::find(*pinned, address) != pinned->end()) return true;
  bool trusted = std::ranges::any_of(context_.trusted,
                                     [&](const Network& one) { return one.contains(address); });
  if (trusted) return true;
  if (context_.own.holds(address) || is_never_private(address)) return false;
  return is_public(address) || policy_.allows_private(address);
}

void Sandbox::refused(const std::string& name, std::uint16_t port, Reason reason,
                      std::string detail) {
  ++refused_;
  noticed(name, port, reason, std::move(detail));
}

void Sandbox::noticed(const std::string& name, std::uint16_t port, Reason reason,
                      std::string detail) {
  context_.events.add(
      {.sandbox = id_, .name = name, .port = port, .reason = reason, .detail = std::move(detail)});
}

void Sandbox::drop(Connection& connection) {
  auto node = connections_.extract(&connection);
  if (node.empty()) return;
  no_room_.erase(&connection);
  context_.loop.bury(std::move(node.mapped()));
  freed(1);
  watch_listener();
}

void Sandbox::drop(DnsStream& stream) {
  auto node = dns_streams_.extract(&stream);
  if (node.empty()) return;
  context_.loop.bury(std::move(node.mapped()));
  freed(1);
  watch_listener();
}

// Those that find no room wait in the kernel's queue.
void Sandbox::watch_listener() {
  if (!listener_watch_ || accept_again_.runs()) return;
  bool full = is_full();
  listener_watch_->want(full ? 0 : EPOLLIN);
  if (full) {
    context_.waiting.insert(this);
  } else {
    context_.waiting.erase(this);
  }
}

void Sandbox::on_ready(int, std::uint32_t) { accept_some(); }

void Sandbox::accept_some() {
  // As many as last time, and twice as many where that was too few: asking in vain costs a call.
  int burst = std::exchange(accept_burst_, 1);
  for (int i = 0; i < burst && !is_full(); ++i) {
    UniqueFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      // Out of descriptors or memory: later.
      if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) {
        listener_watch_->suspend();
        accept_again_.start(std::chrono::milliseconds(100));
      }
      return;
    }
    take_connection(std::move(socket));
    accept_burst_ = i + 1 < burst ? i + 1 : std::min(2 * burst, kAcceptsPerTurn);
  }
  watch_listener();
}

void Sandbox::take_connection(UniqueFd socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&storage), &size) != 0) return;
  Endpoint to = Endpoint::from(storage);
  if (to.port == 53) {
    auto stream = std::make_shared<DnsStream>(*this, std::move(socket));
    dns_streams_.emplace(stream.get(), stream);
    taken();
    stream->start();
    return;
  }
  ++opened_;
  taken();
  auto connection = std::make_shared<Connection>(*this, std::move(socket), to);
  connections_.emplace(connection.get(), connection);
  connection->start();
}

}  // namespace atl::egress
