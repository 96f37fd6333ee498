// What a connection does when its first bytes are known: bytes both ways, and all its ends.
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "egress/connection.hpp"
#include "egress/refusal.hpp"

namespace atl::egress {

void Connection::on_ready(int fd, std::uint32_t events) {
  bool from_inside = fd == inside_.get();
  if (stage_ == Stage::kDone) return;
  if (opened_ && stage_ == Stage::kOpen) {
    opened_->on_ready(from_inside, events);
    return rest_from_hangup(from_inside, events);
  }
  if ((events & EPOLLERR) != 0) return stage_ == Stage::kLingering ? finish() : reset();
  if (stage_ == Stage::kLingering) {
    auto& buffer = *sandbox_.context().buffer;
    ssize_t got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN)) finish();
    return;
  }
  bool readable = (events & (EPOLLIN | EPOLLHUP)) != 0, writable = (events & EPOLLOUT) != 0;
  if (from_inside) {
    if (readable && !classified_ && !up_.ended) {
      http_ ? pump_up() : read_first();
    } else if (readable && has_outside() && !up_.ended && !up_.blocked) {
      pump_up();
    }
    if (writable) pump_down();
  } else {
    if (readable && !down_.ended && !down_.blocked) pump_down();
    if (writable) pump_up();
  }
  rest_from_hangup(from_inside, events);
}

// Both directions of this end are over, and what is left waits for the other end.
void Connection::rest_from_hangup(bool from_inside, std::uint32_t events) {
  if ((events & EPOLLHUP) == 0 || stage_ != Stage::kOpen) return;
  if (from_inside && (inside_wants_ & EPOLLIN) == 0) inside_watch_.suspend();
  if (!from_inside && outside_watch_ && (outside_wants_ & EPOLLIN) == 0) outside_watch_->suspend();
}

bool Connection::flush(Way& way, int to, std::uint64_t& counter) {
  way.blocked = false;
  if (way.held.empty()) return true;
  if (counter > 0) settle();
  ssize_t sent = ::send(to, way.held.data(), way.held.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) {
    reset();
    return false;
  }
  auto size = static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
  way.held.erase(0, size);
  counter += size;
  way.blocked = !way.held.empty();
  sandbox_.context().take_room(way.held);
  return true;
}

// Only what cannot be written at once is kept, and nothing more is read until it is.
bool Connection::copy(int from, int to, Way& way, std::uint64_t& counter) {
  auto& buffer = *sandbox_.context().buffer;
  auto direction = &way == &up_ ? Sandbox::Way::kUp : Sandbox::Way::kDown;
  std::size_t room = std::min(buffer.size(), sandbox_.room(direction));
  if (room == 0) return true;  // update() waits for more
  ssize_t got = ::recv(from, buffer.data(), room, MSG_DONTWAIT);
  if (got < 0) {
    if (errno == EAGAIN || errno == EINTR) return true;
    reset();
    return false;
  }
  if (got == 0) {
    way.ended = true;
    return true;
  }
  sandbox_.spend(direction, static_cast<std::size_t>(got));
  if (counter > 0) settle();
  std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
  ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) {
    reset();
    return false;
  }
  auto size = static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
  counter += size;
  if (size < bytes.size()) {
    sandbox_.context().lend_room(way.held);
    way.held = bytes.substr(size);
  }
  way.blocked = size < bytes.size();
  if (&way == &down_ && http_ && http_->waits_for_upgrade()) look_for_upgrade(bytes);
  return stage_ == Stage::kOpen;
}

void Connection::read_requests() {
  auto& buffer = *sandbox_.context().buffer;
  std::size_t room = std::min(buffer.size(), sandbox_.room(Sandbox::Way::kUp));
  if (room == 0) return;
  ssize_t got = ::recv(inside_.get(), buffer.data(), room, MSG_DONTWAIT);
  if (got < 0 && errno != EAGAIN && errno != EINTR) return reset();
  if (got == 0) up_.ended = true;
  if (got == 0 && !classified_) return reset();
  if (got <= 0) return;
  sandbox_.spend(Sandbox::Way::kUp, static_cast<std::size_t>(got));
  check_requests({buffer.data(), static_cast<std::size_t>(got)});
}

void Connection::pump_up() {
  if (stage_ != Stage::kOpen) return;
  if (http_ && !after_answers_ && !http_->waits_for_upgrade() && up_.held.empty() && !up_.ended) {
    read_requests();
    if (stage_ != Stage::kOpen) return;
  }
  if (!has_outside()) return update();
  std::uint64_t before = tx_;
  bool held = !up_.held.empty();
  if (!flush(up_, outside_.get(), tx_)) return;
  if (!held && !http_ && !up_.ended && classified_ &&
      !copy(inside_.get(), outside_.get(), up_, tx_)) {
    return;
  }
  sandbox_.count(0, tx_ - before);
  pass_ends();
}

void Connection::pump_down() {
  if (stage_ != Stage::kOpen || !has_outside()) return;
  std::uint64_t before = rx_;
  if (!flush(down_, inside_.get(), rx_)) return;
  if (!down_.blocked && !down_.ended && !copy(outside_.get(), inside_.get(), down_, rx_)) return;
  sandbox_.count(rx_ - before, 0);
  pass_ends();
}

// The head of a first answer says 101, or it does not.
void Connection::look_for_upgrade(std::string_view bytes) {
  constexpr std::size_t kEnough = sizeof "HTTP/1.1 101" - 1;
  status_ += bytes.substr(0, kEnough - std::min(kEnough, status_.size()));
  if (status_.size() < kEnough) return;
  bool yes = status_.starts_with("HTTP/1.1 101");
  std::optional<HttpRefusal> refusal = http_->upgraded(yes, up_.held);
  if (refusal) return refuse_http(*refusal);
  if (yes && up_.held.empty()) http_.reset();
  up_.blocked = !up_.held.empty();
}

void Connection::pass_ends() {
  bool up = up_.ended && up_.held.empty() && classified_, down = down_.ended && down_.held.empty();
  if (down && after_answers_) {
    return say_and_end(http_answer(*after_answers_,
                                   sentence_for(reason_of(*after_answers_), name_, to_.port, {})));
  }
  // No answer to an upgrade will come any more.
  bool in_vain = down && http_ && http_->waits_for_upgrade();
  if ((up && down) || in_vain) return finish();
  if (up && !std::exchange(up_.passed, true)) ::shutdown(outside_.get(), SHUT_WR);
  if (down && !std::exchange(down_.passed, true)) ::shutdown(inside_.get(), SHUT_WR);
  update();
}

void Connection::update() {
  count_held();
  if (stage_ == Stage::kDone || stage_ == Stage::kLingering) return;
  if (opened_) {
    inside_wants_ = opened_->inside_wants();
    outside_wants_ = opened_->outside_wants();
  } else {
    find_wants();
  }
  hold_back();
  inside_watch_.want(inside_wants_);
  if (outside_watch_) outside_watch_->want(outside_wants_);
}

void Connection::count_held() {
  std::size_t now = 0;
  if (stage_ != Stage::kDone) {
    now = first_.capacity() + up_.held.capacity() + down_.held.capacity();
    if (http_) now += http_->held();
    if (opened_) now += opened_->held();
  }
  Context& context = sandbox_.context();
  bool held_much = context.holds_much();
  context.held -= std::exchange(held_, now);
  context.held += now;
  if (held_much && !context.holds_much()) sandbox_.memory_freed();
}

// Nothing is read for which there is no room this second.
void Connection::hold_back() {
  held_back_ = false;
  auto hold = [this](std::uint32_t& wants, Sandbox::Way way) {
    if ((wants & EPOLLIN) == 0 || sandbox_.room(way) > 0) return;
    wants &= ~static_cast<std::uint32_t>(EPOLLIN);
    held_back_ = true;
  };
  hold(inside_wants_, Sandbox::Way::kUp);
  if (outside_watch_) hold(outside_wants_, Sandbox::Way::kDown);
  if (held_back_) sandbox_.wait_for_room(*this);
}

void Connection::find_wants() {
  inside_wants_ = outside_wants_ = 0;
  bool reads_first = !classified_ && !up_.ended;
  bool relays_up = classified_ && has_outside() && !up_.ended && !up_.blocked && up_.held.empty() &&
                   !after_answers_ && !(http_ && http_->waits_for_upgrade());
  if (reads_first || relays_up) inside_wants_ |= EPOLLIN;
  if (down_.blocked) inside_wants_ |= EPOLLOUT;
  // Servers of protocols in which the server speaks first.
  bool may_speak = classified_ || (to_.port != 80 && to_.port != 443);
  if (may_speak && !down_.ended && !down_.blocked) outside_wants_ |= EPOLLIN;
  if (up_.blocked) outside_wants_ |= EPOLLOUT;
}

void Connection::refuse(Denial denial) {
  if (opened_) return opened_->give_up(HttpRefusal::kDenied, denial.reason, denial.detail);
  denial_ = std::move(denial);
  stage_ = Stage::kRefusing;
  if (!classified_ && !http_) {
    if (!first_.empty()) classify();
    return update();
  }
  // Bytes of the server that the client has not received.
  const auto& [reason, detail] = *denial_;
  sandbox_.refused(shown_name(), to_.port, reason, detail);
  if (http_) {
    return say_and_end(
        http_answer(HttpRefusal::kDenied, sentence_for(reason, shown_name(), to_.port, detail)));
  }
  if (up_.held.starts_with('\x16')) return say_and_end(alert_bytes(alert_for(reason)));
  reset();
}

void Connection::refuse_http(HttpRefusal refusal) {
  Reason reason = stage_ == Stage::kRefusing && refusal == HttpRefusal::kDenied ? denial_->reason
                  : gate_ && gate_->reason()                                    ? *gate_->reason()
                                             : reason_of(refusal);
  std::string detail = stage_ == Stage::kRefusing ? denial_->detail
                       : http_                    ? http_->said_host()
                                                  : std::string();
  sandbox_.refused(shown_name(), to_.port, reason, detail);
  // Answers to earlier requests come first: the server is told that there are no more, and the
  // refusal follows its last byte.
  if (http_ && http_->count() > 0) {
    after_answers_ = refusal;
    up_.ended = classified_ = true;
    timer_.start(kToClassify);
    return has_outside() ? pump_up() : update();
  }
  say_and_end(http_answer(refusal, sentence_for(reason, shown_name(), to_.port, detail)));
}

void Connection::drop_outside() {
  outside_watch_.reset();
  outside_.reset();
  dial_.reset();
  proxy_lookup_.reset();
}

void Connection::settle() {
  if (outside_ && !std::exchange(settled_, true)) settle_outside(outside_.get());
}

void Connection::end_outside() {
  if (!std::exchange(up_.passed, true)) ::shutdown(outside_.get(), SHUT_WR);
}

void Connection::refused(Reason reason, const std::string& detail) {
  sandbox_.refused(name_.empty() ? to_.address.to_string() : name_, to_.port, reason, detail);
}

void Connection::count(std::uint64_t rx, std::uint64_t tx) {
  rx_ += rx;
  tx_ += tx;
  sandbox_.count(rx, tx);
}

void Connection::say_and_end(const std::string& bytes) {
  ::send(inside_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  linger();
}

void Connection::linger() {
  drop_outside();
  ::shutdown(inside_.get(), SHUT_WR);
  // A close with unread bytes would be a reset, which eats the answer.
  stage_ = Stage::kLingering;
  timer_.start(kToLinger);
  inside_watch_.want(EPOLLIN);
}

void Connection::judge_again() {
  if (stage_ != Stage::kOpen) return;
  bool must_open = is_tls_ && !opened_ && sandbox_.policy().intercepts(name_);
  std::optional<Denial> denial = sandbox_.judge(name_, to_.address, to_.port);
  if (!must_open && !denial) return;
  bool used_up = denial && denial->reason == Reason::kBytesUsedUp;
  refused(used_up ? Reason::kBytesUsedUp : Reason::kPolicyChanged, {});
  reset();
}

void Connection::reset() {
  struct linger hard{.l_onoff = 1, .l_linger = 0};
  for (UniqueFd* socket : {&inside_, &outside_}) {
    if (*socket) ::setsockopt(socket->get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }
  finish();
}

void Connection::finish() {
  if (std::exchange(stage_, Stage::kDone) == Stage::kDone) return;
  timer_.cancel();
  dial_.reset();
  proxy_lookup_.reset();
  inside_watch_.forget();
  if (outside_watch_) outside_watch_->forget();
  outside_.reset();
  inside_.reset();
  count_held();
  sandbox_.drop(*this);
}

void Connection::abandon() {
  stage_ = Stage::kDone;
  count_held();
  struct linger hard{.l_onoff = 1, .l_linger = 0};
  for (UniqueFd* socket : {&inside_, &outside_}) {
    if (*socket) ::setsockopt(socket->get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }
}

ConnectionFigures Connection::figures() const {
  return {.name = name_.empty() ? to_.address.to_string() : name_,
          .port = to_.port,
          .rx_bytes = rx_,
          .tx_bytes = tx_,
          .since_ms = since_ms_};
}

}  // namespace atl::egress
