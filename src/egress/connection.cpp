#include "egress/connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "egress/refusal.hpp"

// From accept to dial, and the client's first bytes; connection_relay.cpp has the rest.
namespace atl::egress {

namespace {

std::uint64_t wall_ms() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

bool is_listener_itself(const Endpoint& to) {
  static const Network kLoopback = Network::parse("127.0.0.0/8").value();
  static const Address kLoopback6 = Address::parse("::1").value();
  return to.address == NameTable::own() || kLoopback.contains(to.address) ||
         to.address == kLoopback6;
}

}  // namespace

Connection::Connection(Sandbox& sandbox, UniqueFd socket, Endpoint to)
    : sandbox_(sandbox),
      inside_(std::move(socket)),
      to_(to),
      since_ms_(wall_ms()),
      inside_watch_(sandbox.group(), inside_.get(), *this),
      timer_(sandbox.context().loop, [this] { too_slow(); }) {}

void Connection::start() {
  if (is_listener_itself(to_)) return reset();
  bool synthetic = NameTable::is_synthetic(to_.address);
  const std::string* name = sandbox_.names().name_of(to_.address);
  if (name != nullptr) {
    name_ = *name;
    denial_ = sandbox_.judge(name_, to_.address, to_.port);
  } else if (to_.address == NameTable::blocked()) {
    blocked_name_ = true;
    denial_ = Denial{Reason::kNameDenied, {}};
  } else {
    std::optional<Denial> denial = sandbox_.judge({}, to_.address, to_.port);
    if (synthetic && !denial) denial = Denial{Reason::kAddressDenied, "no name has this address"};
    if (denial) {
      sandbox_.refused(to_.address.to_string(), to_.port, denial->reason, denial->detail);
      return reset();
    }
  }
  timer_.start(kToClassify);
  if (denial_) {
    stage_ = Stage::kRefusing;
  } else {
    find_addresses();
  }
  // Most clients send at once.
  if (stage_ == Stage::kOpen && !classified_) read_first();
  if (stage_ != Stage::kDone) update();
}

const std::string& Connection::shown_name() const { return name_.empty() ? said_name_ : name_; }

void Connection::find_addresses() {
  if (name_.empty()) {
    classified_ = true;  // nothing that its bytes could be compared with
    timer_.start(kToSettle);
    return dial({.status = dns::Status::kOk, .addresses = {to_.address}});
  }
  bool taken = sandbox_.look_up(name_, [weak = weak_from_this()](const Answer& answer) {
    auto self = weak.lock();
    if (self && self->stage_ == Stage::kOpen) self->dial(answer);
  });
  if (!taken) {
    sandbox_.refused(name_, to_.port, Reason::kTooManyNames);
    reset();
  }
}

void Connection::dial(const Answer& answer) {
  if (answer.by_proxy) return dial_by_proxy(name_);
  std::vector<Address> checked;
  for (const Address& address : answer.addresses) {
    if (sandbox_.may_dial(name_, address)) checked.push_back(address);
  }
  if (answer.addresses.empty()) return unreachable(Reason::kNotResolved, {});
  if (checked.empty()) {
    refuse({Reason::kNotPublic, answer.addresses.front().to_string()});
    return;
  }
  // The address that a name has inside stands for it only there. An address that this host has
  // looked up as a private one is near, and the proxy would dial its own.
  const Address& real = name_.empty() ? to_.address : checked.front();
  bool near = !name_.empty() && !is_public(real);
  if (sandbox_.context().proxy && !near) return dial_by_proxy(real.to_string());
  start_dial(std::move(checked), to_.port, std::nullopt);
}

// The proxy's own name is the operator's, and may have any address.
void Connection::dial_by_proxy(const std::string& host) {
  const Proxy& proxy = *sandbox_.context().proxy;
  ProxyHandshake handshake(proxy, host, to_.port);
  if (std::optional<Address> address = Address::parse(proxy.host)) {
    return start_dial({*address}, proxy.port, std::move(handshake));
  }
  proxy_lookup_ = sandbox_.context().resolver.look_up(
      proxy.host, [this, port = proxy.port, handshake = std::move(handshake)](Answer answer) {
        sandbox_.context().loop.bury(std::exchange(proxy_lookup_, nullptr));
        if (answer.addresses.empty())
          return unreachable(Reason::kDialFailed, "the proxy: no address");
        start_dial(std::move(answer.addresses), port, handshake);
      });
}

void Connection::start_dial(std::vector<Address> addresses, std::uint16_t port,
                            std::optional<ProxyHandshake> handshake) {
  dial_ = std::make_unique<Dial>(sandbox_.context().loop, sandbox_.group(), std::move(addresses),
                                 port, std::move(handshake),
                                 [this](UniqueFd socket, Watch* watch, const std::string& error) {
                                   dialled(std::move(socket), watch, error);
                                 });
  dial_->start();
}

void Connection::dialled(UniqueFd socket, Watch* watch, const std::string& error) {
  sandbox_.context().loop.bury(std::shared_ptr<Dial>(std::move(dial_)));
  if (!socket) return unreachable(Reason::kDialFailed, error);
  outside_ = std::move(socket);
  if (watch != nullptr) {
    outside_watch_.emplace(*watch, *this);
  } else {
    outside_watch_.emplace(sandbox_.group(), outside_.get(), *this);
  }
  if (opened_) return opened_->connected();
  if (classified_) return pump_up();
  update();
}

void Connection::unreachable(Reason reason, const std::string& detail) {
  if (opened_) return opened_->give_up(HttpRefusal::kUpstream, reason, detail);
  refused(reason, detail);
  reset();
}

void Connection::read_first() {
  auto& buffer = *sandbox_.context().buffer;
  std::size_t room = std::min(kMaxFirst - std::min(kMaxFirst, first_.size()), buffer.size());
  std::size_t may = sandbox_.room(Sandbox::Way::kUp);
  if (may == 0) return update();
  room = std::min(room, may);
  ssize_t got = room == 0 ? 0 : ::recv(inside_.get(), buffer.data(), room, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got < 0) return reset();
  if (got == 0) {
    // It sent nothing, or too little to tell the protocol.
    up_.ended = true;
    if (stage_ == Stage::kRefusing || !first_.empty()) return reset();
    return goes_on();
  }
  first_.append(buffer.data(), static_cast<std::size_t>(got));
  count_held();
  classify();
}

void Connection::classify() {
  Speech speech = speech_of(first_, to_.port);
  switch (speech) {
    case Speech::kUnknown: return;
    case Speech::kTls:
    case Speech::kOldTls: return check_hello(speech);
    case Speech::kHttp: {
      if (stage_ != Stage::kRefusing) return check_requests(take_first());
      std::size_t end = end_of_head(first_);
      if (end == std::string::npos && first_.size() < kMaxHead) return;
      std::optional<HttpHead> head =
          parse_head(std::string_view(first_).substr(0, std::min(end, first_.size())));
      if (head && blocked_name_) said_name_ = host_of(*head);
      return refuse_http(head ? HttpRefusal::kDenied : HttpRefusal::kMalformed);
    }
    case Speech::kOpaque:
      if (stage_ == Stage::kRefusing) {
        sandbox_.refused(shown_name(), to_.port, denial_->reason, denial_->detail);
        return reset();
      }
      up_.held = take_first();
      return goes_on();
  }
}

// From now on they are on their way outside.
std::string Connection::take_first() {
  sandbox_.spend(Sandbox::Way::kUp, first_.size());
  return std::exchange(first_, {});
}

void Connection::check_hello(Speech speech) {
  auto state = speech == Speech::kTls ? hello_.take(first_) : ClientHelloReader::State::kRefused;
  if (state == ClientHelloReader::State::kReading) return;
  const std::optional<std::string>& said = hello_.hello().server_name;
  if (blocked_name_ && said) said_name_ = *said;
  Denial denial;
  if (state == ClientHelloReader::State::kRefused) {
    denial.reason = Reason::kMalformed;
  } else if (stage_ == Stage::kRefusing) {
    denial = *denial_;
  } else if (!said) {
    denial.reason = Reason::kNoServerName;
  } else if (*said != name_) {
    denial = {Reason::kNameMismatch, *said};
  } else if (sandbox_.context().refuse_ech && hello_.hello().has_encrypted_hello) {
    denial.reason = Reason::kEncryptedHello;
  } else {
    is_tls_ = true;
    if (sandbox_.policy().intercepts(name_)) return intercept();
    up_.held = take_first();
    return goes_on();
  }
  sandbox_.refused(shown_name(), to_.port, denial.reason, denial.detail);
  say_and_end(alert_bytes(alert_for(denial.reason)));
}

void Connection::intercept() {
  classified_ = true;
  start_timer();
  opened_ = std::make_unique<Interception>(*this);
  opened_->start(take_first());
}

void Connection::check_requests(std::string_view bytes) {
  if (!http_) {
    gate_.emplace(sandbox_, name_, to_.port, false);
    http_ = std::make_unique<HttpRequests>(name_, to_.port, &*gate_);
  }
  std::optional<HttpRefusal> refusal = http_->take(bytes, up_.held);
  if (refusal) return refuse_http(*refusal);
  // The head need not be complete yet: its time goes on until a request is.
  if (!classified_ && http_->count() == 0) {
    first_.clear();
    return;
  }
  if (!classified_) goes_on();
}

void Connection::goes_on() {
  classified_ = true;
  timer_.start(kToSettle);
  if (has_outside()) return pump_up();
  update();
}

void Connection::too_slow() {
  if (stage_ == Stage::kLingering) return finish();
  if (held_back_) return timer_.start(kToClassify);  // by limits, and not by the client
  if (opened_) return opened_->too_slow();
  if (classified_ && stage_ == Stage::kOpen && !after_answers_) return settle();
  // The server has spoken: this is a protocol in which the client may take its time.
  bool client_waits = stage_ == Stage::kOpen && first_.empty() && !http_ && rx_ > 0;
  if (client_waits && !after_answers_) return;
  sandbox_.refused(shown_name(), to_.port, Reason::kTooSlow);
  reset();
}

}  // namespace atl::egress
