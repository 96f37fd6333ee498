#include "egress/interception.hpp"

#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "egress/cleanse.hpp"
#include "egress/connection.hpp"
#include "egress/refusal.hpp"

namespace atl::egress {

namespace {

constexpr std::size_t kRecord = 16 * 1024;

}  // namespace

Interception::Interception(Connection& connection)
    : connection_(connection),
      gate_(connection.sandbox(), connection.name(), connection.port(), true),
      requests_(connection.name(), connection.port(), &gate_, "https") {}

bool Interception::is_over() const { return !connection_.is_open(); }

void Interception::start(std::string_view first) {
  Context& context = connection_.sandbox().context();
  if (!context.authority) return connection_.reset();
  Result<std::shared_ptr<SSL_CTX>> leaf =
      context.authority->server_context(connection_.name(), Authority::Clock::now());
  if (!leaf) return connection_.reset();
  Result<std::unique_ptr<TlsEnd>> tls = TlsEnd::server(leaf->get());
  if (!tls) return connection_.reset();
  inside_.tls = std::move(*tls);
  inside_.tls->give(first);
  connected();
}

void Interception::connected() {
  Context& context = connection_.sandbox().context();
  if (connection_.has_outside() && !outside_.tls && !failure_) {
    Result<std::unique_ptr<TlsEnd>> tls =
        TlsEnd::client(context.upstream.get(), connection_.name());
    if (!tls) return connection_.reset();
    outside_.tls = std::move(*tls);
    connection_.settle();
  }
  work();
}

void Interception::on_ready(bool inside, std::uint32_t events) {
  Side& side = inside ? inside_ : outside_;
  int fd = inside ? connection_.inside() : connection_.outside();
  bool readable = (events & (EPOLLIN | EPOLLHUP)) != 0, broken = (events & EPOLLERR) != 0;
  if (broken && closing_ && inside) return connection_.reset();
  std::uint32_t wants = inside ? inside_wants() : outside_wants();
  // Behind an error there may be an alert that says why.
  auto way = inside ? Sandbox::Way::kUp : Sandbox::Way::kDown;
  std::size_t room = broken ? SIZE_MAX : connection_.sandbox().room(way);
  if (broken || (readable && (wants & EPOLLIN) != 0 && room > 0)) receive(side, fd, room);
  if (!is_over()) work();
}

void Interception::receive(Side& side, int fd, std::size_t room) {
  Sandbox& sandbox = connection_.sandbox();
  auto& buffer = *sandbox.context().buffer;
  ssize_t got = ::recv(fd, buffer.data(), std::min(buffer.size(), room), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) {
    auto size = static_cast<std::size_t>(got);
    sandbox.spend(&side == &inside_ ? Sandbox::Way::kUp : Sandbox::Way::kDown, size);
    return side.tls->give({buffer.data(), size});
  }
  if (!side.is_open() && &side == &outside_) {
    const char* why = got < 0 ? ::strerrordesc_np(errno) : "it has closed the connection";
    return fail(HttpRefusal::kUpstream, Reason::kUpstreamTls, why);
  }
  if (got < 0 && &side == &outside_ && !answered_) {
    return fail(HttpRefusal::kUpstream, Reason::kUpstreamTls, ::strerrordesc_np(errno));
  }
  if (got < 0 || !side.is_open()) return connection_.reset();
  side.ended = true;
}

void Interception::give_up(HttpRefusal refusal, Reason reason, const std::string& detail) {
  fail(refusal, reason, detail);
  work();
}

void Interception::work() {
  for (Side* side : {&inside_, &outside_}) {
    if (side->tls) connection_.sandbox().context().lend_room(side->tls->out());
  }
  shake_inside();
  shake_outside();
  move_up();
  bool waited = requests_.waits_for_upgrade();
  move_down();
  if (waited) move_up();
  if (!is_over()) pass_ends();
  if (!is_over()) flush(outside_, connection_.outside());
  if (!is_over()) flush(inside_, connection_.inside());
  if (is_over()) return;
  for (Side* side : {&inside_, &outside_}) {
    if (side->tls) side->tls->keep_rest();
  }
  if (up_passed_ && outside_.tls && !outside_.blocked()) connection_.end_outside();
  if (closing_ && !inside_.blocked()) return connection_.linger();
  watch_time();
  connection_.update();
}

void Interception::shake_inside() {
  if (inside_.is_open() || closing_) return;
  // A handshake costs as much as many other events: this sandbox's others wait for its next turn.
  connection_.sandbox().group().end_turn();
  if (inside_.tls->shake_hands() != TlsEnd::Got::kBroken) return;
  bool http2 = inside_.tls->reason() == SSL_R_NO_APPLICATION_PROTOCOL;
  connection_.refused(http2 ? Reason::kOnlyHttp1 : Reason::kClientTls,
                      http2 ? "http/1.1 only" : inside_.tls->failure());
  closing_ = true;  // when the alert is sent
}

void Interception::shake_outside() {
  if (!outside_.tls || outside_.is_open() || failure_) return;
  connection_.sandbox().group().end_turn();
  TlsEnd::Got got = outside_.tls->shake_hands();
  if (got == TlsEnd::Got::kBytes) return send_up(pending_);
  if (got != TlsEnd::Got::kBroken) return;
  flush(outside_, connection_.outside());  // the alert
  if (is_over()) return;
  Reason reason =
      outside_.tls->refused_certificate() ? Reason::kUpstreamCertificate : Reason::kUpstreamTls;
  fail(HttpRefusal::kUpstream, reason, std::string(outside_.tls->failure()));
}

void Interception::move_up() {
  if (is_over() || !inside_.is_open()) return;
  std::array<char, kRecord> bytes;
  std::string& plain = connection_.sandbox().context().plain;
  while (!inside_.ended && !closing_ && !after_answers_ && pending_.empty() &&
         !requests_.waits_for_upgrade()) {
    std::size_t size = 0;
    TlsEnd::Got got = inside_.tls->read(bytes, size);
    if (got == TlsEnd::Got::kNothing) break;
    if (got != TlsEnd::Got::kBytes) {
      // Alerts too: the client does not trust the authority, or has had enough.
      if (got == TlsEnd::Got::kBroken && requests_.count() == 0) {
        connection_.refused(Reason::kClientTls, inside_.tls->failure());
      }
      inside_.ended = true;
      inside_.clean = got == TlsEnd::Got::kEnd;
      break;
    }
    std::optional<HttpRefusal> refusal = requests_.take({bytes.data(), size}, plain);
    send_up(plain);
    if (refusal) refuse(*refusal);
  }
}

// Leaves nothing of it in memory: it may hold a secret.
void Interception::send_up(std::string& plain) {
  if (outside_.is_open()) {
    outside_.tls->write(plain);
  } else if (&plain != &pending_) {
    pending_ += plain;
  }
  if (outside_.is_open() || &plain != &pending_) cleanse(plain);
}

void Interception::move_down() {
  if (is_over() || !inside_.is_open() || !outside_.is_open()) return;
  std::array<char, kRecord> bytes;
  while (!outside_.ended && !closing_) {
    std::size_t size = 0;
    TlsEnd::Got got = outside_.tls->read(bytes, size);
    if (got == TlsEnd::Got::kNothing) break;
    if (got != TlsEnd::Got::kBytes) {
      bool broken = got == TlsEnd::Got::kBroken;
      if (broken && !answered_) {
        fail(HttpRefusal::kUpstream, Reason::kUpstreamTls, std::string(outside_.tls->failure()));
        break;
      }
      outside_.ended = true;
      outside_.clean = !broken;
      break;
    }
    answered_ = true;
    std::string_view answer(bytes.data(), size);
    if (requests_.waits_for_upgrade()) look_for_upgrade(answer);
    inside_.tls->write(answer);
  }
  ::explicit_bzero(bytes.data(), bytes.size());  // servers may echo what they were sent
}

// The head of a first answer says 101, or it does not.
void Interception::look_for_upgrade(std::string_view bytes) {
  constexpr std::string_view kYes = "HTTP/1.1 101";
  status_ += bytes.substr(0, kYes.size() - std::min(kYes.size(), status_.size()));
  if (status_.size() < kYes.size()) return;
  std::string plain;
  std::optional<HttpRefusal> refusal = requests_.upgraded(status_ == kYes, plain);
  send_up(plain);
  if (refusal) refuse(*refusal);
}

void Interception::refuse(HttpRefusal refusal) {
  if (refusal == failure_) return answer(refusal, sentence_);
  Reason reason = gate_.reason().value_or(reason_of(refusal));
  std::string detail = refusal == HttpRefusal::kOtherHost ? requests_.said_host() : std::string();
  if (requests_.said_http2()) reason = Reason::kOnlyHttp1;
  connection_.refused(reason, detail);
  sentence_ = sentence_for(reason, connection_.name(), connection_.port(), detail);
  if (requests_.count() == 0) return answer(refusal, sentence_);
  // Answers to earlier requests come first: the host is told that there are no more.
  after_answers_ = refusal;
  inside_.ended = inside_.clean = true;
  connection_.start_timer();
}

void Interception::answer(HttpRefusal refusal, std::string_view sentence) {
  if (std::exchange(closing_, true)) return;
  inside_.tls->write(http_answer(refusal, sentence));
  inside_.tls->say_end();
}

void Interception::fail(HttpRefusal refusal, Reason reason, const std::string& detail) {
  if (failure_ || closing_) return;
  connection_.refused(reason, detail);
  sentence_ = sentence_for(reason, connection_.name(), connection_.port(), detail);
  failure_ = refusal;
  gate_.close_with(refusal);
  cleanse(pending_);
  connection_.drop_outside();
  if (inside_.is_open() && requests_.count() > 0) answer(refusal, sentence_);
}

void Interception::pass_ends() {
  if (closing_) return;
  if (inside_.ended && pending_.empty() && !std::exchange(up_passed_, true)) {
    // Nobody has asked for anything, or nobody is there who could answer.
    if (!outside_.is_open()) return connection_.finish();
    if (inside_.clean) outside_.tls->say_end();
  }
  if (!outside_.ended) return;
  if (after_answers_) return answer(*after_answers_, sentence_);
  // An end without close_notify may be forged: the client gets it without one, too.
  if (outside_.clean) inside_.tls->say_end();
  closing_ = true;
}

void Interception::flush(Side& side, int fd) {
  if (!side.tls) return;
  std::string& out = side.tls->out();
  if (fd < 0) out.clear();
  ssize_t sent = out.empty() ? 0 : ::send(fd, out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && &side == &outside_ && !side.is_open()) return out.clear();
  if (sent < 0 && errno != EAGAIN) return connection_.reset();
  auto size = static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
  out.erase(0, size);
  &side == &inside_ ? connection_.count(size, 0) : connection_.count(0, size);
  connection_.sandbox().context().take_room(out);
}

// Handshakes and heads have deadlines.
void Interception::watch_time() {
  if (closing_ || after_answers_) return;
  bool shaking = !inside_.is_open() || (!outside_.is_open() && !failure_);
  bool must_end = shaking || requests_.in_head();
  if (must_end && !connection_.timer_runs()) connection_.start_timer();
  if (!must_end) connection_.stop_timer();
}

void Interception::too_slow() {
  bool host = inside_.is_open() && outside_.tls && !outside_.is_open() && !failure_;
  if (!host) {
    connection_.refused(Reason::kTooSlow, {});
    return connection_.reset();
  }
  fail(HttpRefusal::kUpstream, Reason::kUpstreamTls, "the TLS handshake takes too long");
  work();
}

// An end of TLS besides has some 50 KiB while it shakes hands, and less later.
std::size_t Interception::held() const {
  constexpr std::size_t kOfTls = 32 * 1024;
  std::size_t all = pending_.capacity() + requests_.held();
  for (const Side* side : {&inside_, &outside_}) {
    if (side->tls) all += side->tls->out().capacity() + kOfTls;
  }
  return all;
}

std::uint32_t Interception::inside_wants() const {
  std::uint32_t wants = inside_.blocked() ? EPOLLOUT : 0;
  bool reads = !inside_.ended && !closing_ && !after_answers_ && !inside_.tls->has_unread() &&
               !outside_.blocked() && pending_.empty() && !requests_.waits_for_upgrade();
  return reads ? wants | EPOLLIN : wants;
}

std::uint32_t Interception::outside_wants() const {
  if (!outside_.tls || failure_) return 0;
  std::uint32_t wants = outside_.blocked() ? EPOLLOUT : 0;
  bool reads = !outside_.ended && !outside_.tls->has_unread() && !inside_.blocked();
  return reads ? wants | EPOLLIN : wants;
}

}  // namespace atl::egress
