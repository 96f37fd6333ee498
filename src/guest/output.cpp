#include "guest/output.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "guest/execution.hpp"

namespace atl::guest {
namespace {
constexpr int kDefaultPipe = 64 * 1024;
constexpr int kWidePipe = 256 * 1024;
constexpr std::size_t kSlice = kWindow;
}  // namespace

Output::~Output() { close(); }

bool Output::open(UniqueFd fd, Kind kind) {
  kind_ = kind;
  complete_ = false;
  fd_ = std::move(fd);
  return loop_.add(fd_.get(), EPOLLIN | EPOLLET, *this);
}

void Output::close() {
  loop_.forget(*this);
  // A terminal's master and a socket have a second descriptor.
  if (kind_ != Kind::kPipe && fd_) loop_.remove(fd_.get());
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
  int count = complete_ ? 0 : ring_.room(pieces);
  ssize_t size = 0;
  if (count == 0) {
    truncated_ = truncated_ || !complete_;
    size = ::read(fd_.get(), scratch().data(), scratch().size());
  } else {
    size = ::readv(fd_.get(), pieces, count);
    if (size > 0) ring_.commit(static_cast<std::size_t>(size));
  }
  // EIO: a terminal's other side is gone.
  if (size < 0) return errno == EAGAIN || errno == EINTR ? -1 : 0;
  if (size >= kDefaultPipe && !widened_ && kind_ == Kind::kPipe) {
    widened_ = true;
    ::fcntl(fd_.get(), F_SETPIPE_SZ, kWidePipe);
  }
  return size;
}

void Output::pump() {
  for (std::size_t slice = 0; fd_ && readable_ && slice < kSlice;) {
    // Half a message is worth nothing, so a control socket waits for ever.
    bool wait = owner_.expects_reader() || kind_ == Kind::kSocket;
    if (!complete_ && ring_.space() == 0 && wait) return;
    std::ptrdiff_t size = read_some();
    readable_ = size > 0;
    if (size > 0) {
      slice += static_cast<std::size_t>(size);
      pipe_left_ -= std::min(pipe_left_, static_cast<std::size_t>(size));
    }
    if (size == 0) close();
    if (size == 0 || (ending_ && (size < 0 || (kind_ != Kind::kTerminal && pipe_left_ == 0))))
      complete_ = true;
  }
  if (fd_ && readable_) loop_.again(*this);
}

bool Output::drain() {
  if (complete_) return true;
  readable_ = true;
  pump();
  return complete_ || !readable_;
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
