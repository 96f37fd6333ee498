#include "async/stream_io.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace atl::async {

namespace {

bool ready_now(const UniqueFd& fd, short events) {
  pollfd entry{.fd = fd.get(), .events = events, .revents = 0};
  return ::poll(&entry, 1, 0) > 0;
}

msghdr message_of(std::span<const iovec> buffers) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(buffers.data());
  message.msg_iovlen = std::min<std::size_t>(buffers.size(), IOV_MAX);
  return message;
}

int count_of(std::span<const iovec> buffers) {
  return static_cast<int>(std::min<std::size_t>(buffers.size(), IOV_MAX));
}

Result<std::optional<std::size_t>> outcome_of(ssize_t done, const char* what) {
  if (done >= 0) return static_cast<std::size_t>(done);
  if (errno == EAGAIN || errno == EWOULDBLOCK) return std::nullopt;
  return fail_errno(what);
}

}  // namespace

StreamIo::StreamIo(const UniqueFd& fd, FdKind kind) {
  if (kind == FdKind::kSocket) {
    way_ = Way::kSocket;
    return;
  }
  struct stat info{};
  bool known = ::fstat(fd.get(), &info) == 0;
  if (known && S_ISREG(info.st_mode)) {
    way_ = Way::kFile;
  } else if (known && S_ISSOCK(info.st_mode)) {
    way_ = Way::kSocket;
  } else if (kind == FdKind::kShared) {
    way_ = known && S_ISFIFO(info.st_mode) ? Way::kSharedPipe : Way::kSharedOther;
  } else {
    int flags = ::fcntl(fd.get(), F_GETFL);
    if (flags >= 0) ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK);
  }
}

Result<std::optional<std::size_t>> StreamIo::read(const UniqueFd& fd, std::span<const iovec> into) {
  if (is_shared() && !ready_now(fd, POLLIN)) return std::nullopt;
  ssize_t got = 0;
  do {
    if (way_ == Way::kSocket) {
      msghdr message = message_of(into);
      got = ::recvmsg(fd.get(), &message, MSG_DONTWAIT);
    } else {
      got = ::readv(fd.get(), into.data(), count_of(into));
    }
  } while (got < 0 && errno == EINTR);
  // A terminal whose last user is gone says EIO, a socket whose peer died ECONNRESET: the end.
  if (got < 0 && (errno == EIO || errno == ECONNRESET)) return 0;
  return outcome_of(got, "read");
}

Result<std::optional<std::size_t>> StreamIo::write(const UniqueFd& fd,
                                                   std::span<const iovec> from) {
  ssize_t done = 0;
  do {
    if (way_ == Way::kSocket) {
      msghdr message = message_of(from);
      done = ::sendmsg(fd.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    } else if (way_ == Way::kSharedPipe && nowait_works_) {
      done = ::pwritev2(fd.get(), from.data(), count_of(from), -1, RWF_NOWAIT);
      nowait_works_ = done >= 0 || errno != EOPNOTSUPP;
      if (!nowait_works_) errno = EINTR;  // once more, the other way
    } else if (is_shared()) {
      // Ready means room for PIPE_BUF bytes at least; more could block.
      if (!ready_now(fd, POLLOUT)) return std::nullopt;
      auto first = std::ranges::find_if(from, [](const iovec& one) { return one.iov_len > 0; });
      if (first == from.end()) return 0;
      done = ::write(fd.get(), first->iov_base, std::min<std::size_t>(first->iov_len, PIPE_BUF));
    } else {
      done = ::writev(fd.get(), from.data(), count_of(from));
    }
  } while (done < 0 && errno == EINTR);
  return outcome_of(done, "write");
}

}  // namespace atl::async
