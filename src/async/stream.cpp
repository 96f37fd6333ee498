#include "async/stream.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "async/stream_io.hpp"
#include "async/watcher.hpp"

namespace atl::async {

using Descriptor = Watcher::Descriptor;
using boost::system::error_code;

namespace {

// Asio switches what it watches to O_NONBLOCK. For a shared descriptor it gets an epoll of our own
// instead, which becomes readable when the descriptor is ready.
struct Side {
  explicit Side(const Executor& executor) : watcher(executor) {}
  UniqueFd epoll;
  Watcher watcher;
};

}  // namespace

struct Stream::Impl {
  Impl(Executor executor, UniqueFd owned, FdKind kind)
      : fd(std::move(owned)), io(fd, kind), direct(executor), in(executor), out(executor) {}

  Task<Result<void>> ready(bool write);
  Result<Descriptor*> target(bool write, bool& immediate);

  UniqueFd fd;
  StreamIo io;
  Watcher direct;
  Side in, out;
  bool drained = false;  // the last read left nothing behind: wait before the next
};

Result<Descriptor*> Stream::Impl::target(bool write, bool& immediate) {
  if (!io.is_shared()) return direct.on(fd);
  Side& side = write ? out : in;
  if (!side.epoll) {
    UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll) return fail_errno("epoll_create1");
    epoll_event event{.events = write ? EPOLLOUT : EPOLLIN, .data = {}};
    if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd.get(), &event) != 0) {
      immediate = errno == EPERM;  // /dev/null and its kind are always ready
      if (immediate) return nullptr;
      return fail_errno("epoll_ctl");
    }
    side.epoll = std::move(epoll);
  }
  return side.watcher.on(side.epoll);
}

Task<Result<void>> Stream::Impl::ready(bool write) {
  if (!fd) co_return fail(Code::kCancelled, "the stream is closed");
  bool immediate = io.always_ready();
  if (immediate) co_return Result<void>();
  Result<Descriptor*> watched = target(write, immediate);
  if (immediate) co_return Result<void>();
  if (!watched) co_return fail(std::move(watched).error());
  bool wait_write = write && !io.is_shared();
  error_code ec;
  co_await (*watched)->async_wait(wait_write ? Descriptor::wait_write : Descriptor::wait_read,
                                  boost::asio::redirect_error(boost::asio::use_awaitable, ec));
  // From here on *this may be gone.
  if (ec == boost::asio::error::operation_aborted) {
    co_return fail(Code::kCancelled, "the operation was cancelled");
  }
  if (ec && ec != boost::asio::error::operation_not_supported) {
    co_return fail_errno("wait for descriptor", ec.value());
  }
  co_return Result<void>();
}

Stream::Stream(Executor executor, UniqueFd fd, FdKind kind)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(fd), kind)) {}
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;
Stream::~Stream() = default;

Result<std::optional<std::size_t>> Stream::try_read(std::span<const iovec> into) {
  if (!impl_->fd) return fail(Code::kCancelled, "the stream is closed");
  return impl_->io.read(impl_->fd, into);
}

Result<std::optional<std::size_t>> Stream::try_write(std::span<const iovec> from) {
  if (!impl_->fd) return fail(Code::kCancelled, "the stream is closed");
  return impl_->io.write(impl_->fd, from);
}

Task<Result<void>> Stream::readable() { return impl_->ready(false); }
Task<Result<void>> Stream::writable() { return impl_->ready(true); }

Task<Result<std::size_t>> Stream::read_some(std::span<char> into) {
  const iovec buffer{.iov_base = into.data(), .iov_len = into.size()};
  for (;;) {
    if (!std::exchange(impl_->drained, false)) {
      ATOLL_CO_TRY(std::optional<std::size_t> got, try_read({&buffer, 1}));
      if (got) {
        impl_->drained = *got < into.size() && *got > 0;
        co_return *got;
      }
    }
    ATOLL_CO_CHECK(co_await readable());
  }
}

Task<Result<void>> Stream::write_all(std::string_view bytes) {
  const iovec buffer{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  co_return co_await write_all(std::span<const iovec>(&buffer, 1));
}

Task<Result<void>> Stream::write_all(std::span<const iovec> buffers) {
  std::vector<iovec> rest(buffers.begin(), buffers.end());
  std::size_t first = 0;
  for (;;) {
    while (first < rest.size() && rest[first].iov_len == 0) ++first;
    if (first == rest.size()) co_return Result<void>();
    ATOLL_CO_TRY(std::optional<std::size_t> done, try_write(std::span(rest).subspan(first)));
    if (!done) {
      ATOLL_CO_CHECK(co_await writable());
      continue;
    }
    for (std::size_t left = *done; left > 0;) {
      std::size_t step = std::min(left, rest[first].iov_len);
      rest[first].iov_base = static_cast<char*>(rest[first].iov_base) + step;
      rest[first].iov_len -= step;
      left -= step;
      if (rest[first].iov_len == 0) ++first;
    }
  }
}

void Stream::cancel() {
  impl_->direct.cancel();
  impl_->in.watcher.cancel();
  impl_->out.watcher.cancel();
}

void Stream::shutdown_write() {
  if (impl_->fd) ::shutdown(impl_->fd.get(), SHUT_WR);
}

void Stream::close() {
  impl_->direct.release();
  impl_->in.watcher.release();
  impl_->out.watcher.release();
  impl_->fd.reset();
}

const UniqueFd& Stream::fd() const { return impl_->fd; }

}  // namespace atl::async
