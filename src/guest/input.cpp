#include "guest/input.hpp"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

namespace atl::guest {

void Input::open(UniqueFd fd, Kind kind) {
  fd_ = std::move(fd);
  kind_ = kind;
  pump();
}

void Input::close() {
  closed_ = true;
  loop_.forget(*this);
  if (watched_ && fd_) loop_.remove(fd_.get());
  fd_.reset();
  std::size_t lost = ring_.size();
  ring_.release();
  if (lost > 0) owner_.input_consumed(lost);
}

void Input::write(std::string_view bytes) {
  std::size_t done = 0;
  if (fd_ && !blocked_ && ring_.size() == 0 && !finishing_) {
    iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
    done = write_some(&piece, 1);
  }
  if (closed_ || finishing_) {
    done = bytes.size();  // nobody will read it
  } else {
    ring_.append(bytes.substr(done));
  }
  if (done > 0) owner_.input_consumed(done);
  pump();
}

// How much the descriptor took. Closes it when nobody reads any more.
std::size_t Input::write_some(const iovec* pieces, int count) {
  ssize_t size = ::writev(fd_.get(), pieces, count);
  if (size >= 0) return static_cast<std::size_t>(size);
  if (errno != EAGAIN) {
    close();
    return 0;
  }
  blocked_ = true;
  if (!watched_) watched_ = loop_.add(fd_.get(), EPOLLOUT | EPOLLET, *this);
  return 0;
}

void Input::on_events(std::uint32_t) {
  blocked_ = false;
  pump();
}

void Input::pump() {
  iovec pieces[2];
  while (fd_ && !blocked_ && ring_.size() > 0) {
    int count = ring_.peek(0, ring_.size(), pieces);
    std::size_t size = write_some(pieces, count);
    if (size == 0) return;
    ring_.consume(size);
    owner_.input_consumed(size);
  }
  if (finishing_ && ring_.size() == 0) end();
}

void Input::finish() {
  finishing_ = true;
  if (ring_.size() == 0) end();
}

void Input::end() {
  if (!fd_) return;
  if (kind_ == Kind::kPipe) return close();
  if (kind_ == Kind::kSocket) {
    ::shutdown(fd_.get(), SHUT_WR);
  } else {
    constexpr char kEndOfFile = 4;  // what a person types; the terminal itself stays open
    [[maybe_unused]] ssize_t size = ::write(fd_.get(), &kEndOfFile, 1);
  }
}

}  // namespace atl::guest
