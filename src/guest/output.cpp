#include "guest/output.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "guest/drain.hpp"
#include "guest/execution.hpp"

namespace atl::guest {
namespace {
constexpr int kDefaultPipe = 64 * 1024;
constexpr int kWidePipe = 256 * 1024;
constexpr std::size_t kSlice = kWindow;
}  // namespace

Output::~Output() { close(); }

bool Output::open(UniqueFd fd, bool tty) {
  tty_ = tty;
  complete_ = false;
  fd_ = std::move(fd);
  return loop_.add(fd_.get(), EPOLLIN | EPOLLET, *this);
}

void Output::close() {
  loop_.forget(*this);
  if (tty_ && fd_) loop_.remove(fd_.get());  // the master has a second descriptor
  fd_.reset();
}

void Output::on_events(std::uint32_t events) {
  if (events != 0) readable_ = true;
  pump();
  owner_.output_changed();
}

// Bytes read, 0 at the end, -1 when there is nothing now.
std::ptrdiff_t Output::read_some() {
  iovec pieces[2];
  int count = ring_.room(pieces);
  ssize_t size = 0;
  if (count == 0) {
    truncated_ = true;
    size = ::read(fd_.get(), scratch().data(), scratch().size());
  } else {
    size = ::readv(fd_.get(), pieces, count);
    if (size > 0) ring_.commit(static_cast<std::size_t>(size));
  }
  if (size < 0) return errno == EAGAIN || errno == EINTR ? -1 : 0;  // EIO: a terminal's other side is gone
  if (size >= kDefaultPipe && !widened_ && !tty_) {
    widened_ = true;
    ::fcntl(fd_.get(), F_SETPIPE_SZ, kWidePipe);
  }
  return size;
}

void Output::pump() {
  for (std::size_t slice = 0; fd_ && readable_ && slice < kSlice;) {
    if (ring_.space() == 0 && owner_.attached()) return;
    std::ptrdiff_t size = read_some();
    if (size > 0) {
      slice += static_cast<std::size_t>(size);
      if (!ending_ || tty_) continue;
      pipe_left_ -= std::min(pipe_left_, static_cast<std::size_t>(size));
      if (pipe_left_ > 0) continue;
    }
    readable_ = size > 0;
    if (size == 0) close();
    if (size == 0 || ending_) {
      complete_ = true;
      // Whoever still holds the pipe must not die of SIGPIPE because the program ended.
      if (fd_) {
        loop_.forget(*this);
        owner_.drains().take(std::move(fd_));
      }
      return;
    }
  }
  if (fd_ && readable_) loop_.again(*this);
}

void Output::program_ended() {
  if (complete_) return;
  int bytes = 0;
  ::ioctl(fd_.get(), FIONREAD, &bytes);
  pipe_left_ = static_cast<std::size_t>(bytes);
  ending_ = true;
  readable_ = true;
  pump();
}

bool Output::acknowledge(std::size_t bytes) {
  if (bytes > sent_) return false;
  ring_.consume(bytes);
  sent_ -= bytes;
  if (readable_) pump();
  return true;
}

}  // namespace atl::guest
