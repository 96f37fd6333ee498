#include "http/wire.hpp"

#include <algorithm>
#include <utility>

namespace atl::http {

Task<void> Watchdog::run(std::shared_ptr<Watchdog> self, std::chrono::milliseconds period) {
  for (;;) {
    while (self->wires_.empty()) co_await self->changed_.wait();
    co_await async::sleep_for(period);
    Deadline now = std::chrono::steady_clock::now();
    for (Wire* wire : self->wires_) {
      if (wire->read_due_ <= now || wire->write_due_ <= now) wire->expire();
    }
  }
}

void Watchdog::add(Wire& wire) {
  wire.place_ = wires_.size();
  wires_.push_back(&wire);
  if (wires_.size() == 1) changed_.notify_all();
}

void Watchdog::remove(Wire& wire) {
  wires_[wire.place_] = wires_.back();
  wires_[wire.place_]->place_ = wire.place_;
  wires_.pop_back();
}

Wire::Wire(const async::Executor& executor, UniqueFd fd, std::shared_ptr<Watchdog> watchdog)
    : stream_(executor, std::move(fd), async::FdKind::kSocket), watchdog_(std::move(watchdog)) {
  if (watchdog_) watchdog_->add(*this);
}

Wire::~Wire() {
  if (watchdog_) watchdog_->remove(*this);
  if (tls_) tls_->say_goodbye();
}

Task<Result<void>> Wire::start_tls(TlsContext context, std::string server_name) {
  ATOLL_CO_TRY(tls_, TlsSession::make(context, stream_.fd().get(), server_name));
  for (;;) {
    ATOLL_CO_TRY(bool done, tls_->try_handshake());
    if (done) co_return Result<void>();
    ATOLL_CO_CHECK(co_await wait(tls_->wants_write(), due(false)));
  }
}

Result<std::optional<std::size_t>> Wire::try_read(std::span<char> into) {
  if (std::exchange(drained_, false)) return std::nullopt;
  const iovec buffer{.iov_base = into.data(), .iov_len = into.size()};
  Result<std::optional<std::size_t>> got =
      tls_ ? tls_->try_read(into) : stream_.try_read({&buffer, 1});
  if (got && *got) {
    moved_ += **got;
    drained_ = !tls_ && **got > 0 && **got < into.size();
  }
  return got;
}

Result<std::optional<std::size_t>> Wire::try_write(std::span<const iovec> from) {
  return tls_ ? tls_->try_write(from) : stream_.try_write(from);
}

Result<bool> Wire::try_write_all(std::span<iovec>& buffers) {
  for (;;) {
    while (!buffers.empty() && buffers.front().iov_len == 0) buffers = buffers.subspan(1);
    if (buffers.empty()) return true;
    ATOLL_TRY(std::optional<std::size_t> done, try_write(buffers));
    if (!done) return false;
    moved_ += *done;
    for (std::size_t left = *done; left > 0;) {
      iovec& first = buffers.front();
      std::size_t step = std::min(left, first.iov_len);
      first.iov_base = static_cast<char*>(first.iov_base) + step;
      first.iov_len -= step;
      left -= step;
      if (first.iov_len == 0) buffers = buffers.subspan(1);
    }
  }
}

Deadline Wire::due(bool write) const {
  std::chrono::milliseconds time = write ? write_time_ : read_time_;
  Deadline end = write ? async::kNoDeadline : read_deadline_;
  if (time.count() == 0) return end;
  return std::min(end, async::deadline_in(time));
}

Task<Result<void>> Wire::wait(bool write, Deadline due) {
  constexpr const char* kTooSlow = "the peer was too slow";
  if (expired_) co_return fail(Code::kTransferTimeout, kTooSlow);
  (write ? write_due_ : read_due_) = due;
  moved_ = 0;
  Result<void> ready;
  if (write) {
    ready = co_await stream_.writable();
  } else {
    ready = co_await stream_.readable();
  }
  (write ? write_due_ : read_due_) = async::kNoDeadline;
  if (expired_) co_return fail(Code::kTransferTimeout, kTooSlow);
  co_return ready;
}

Task<Result<void>> Wire::readable() { return wait(tls_ && tls_->wants_write(), due(false)); }

Task<Result<void>> Wire::writable() { return wait(!tls_ || tls_->wants_write(), due(true)); }

Task<Result<std::size_t>> Wire::read_some(std::span<char> into) {
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::size_t> got, try_read(into));
    if (got) {
      if (is_greedy()) co_await breathe();
      co_return *got;
    }
    ATOLL_CO_CHECK(co_await readable());
  }
}

Task<Result<void>> Wire::write_all(std::span<iovec> buffers) {
  for (;;) {
    ATOLL_CO_TRY(bool done, try_write_all(buffers));
    if (done) {
      if (is_greedy()) co_await breathe();
      co_return Result<void>();
    }
    ATOLL_CO_CHECK(co_await writable());
  }
}

Task<Result<void>> Wire::write_all(std::string_view bytes) {
  iovec buffer{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  co_return co_await write_all(std::span(&buffer, 1));
}

Task<void> Wire::breathe() {
  moved_ = 0;
  co_await async::yield_now();
}

void Wire::set_times(std::chrono::milliseconds read, std::chrono::milliseconds write) {
  read_time_ = read;
  write_time_ = write;
}

void Wire::expire() {
  expired_ = true;
  stream_.cancel();
}

void Wire::shutdown_write() {
  if (tls_) tls_->say_goodbye();
  stream_.shutdown_write();
}

}  // namespace atl::http
