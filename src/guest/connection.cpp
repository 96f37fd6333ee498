#include "guest/connection.hpp"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <algorithm>

#include "guest/operations.hpp"
#include "guest/server.hpp"

namespace atl::guest {
namespace {

constexpr std::size_t kFlushAt = 128 * 1024;       // enough for one write
constexpr std::size_t kCopyBelow = 16 * 1024;      // cheaper copied together than written alone
constexpr std::size_t kStopReading = 1024 * 1024;  // a host that does not read is not listened to
constexpr std::size_t kKeepBuffer = 64 * 1024;
constexpr int kRounds = 4;

bool would_block() { return errno == EAGAIN || errno == EINTR; }

}  // namespace

Connection::Connection(Server& server, UniqueFd in, UniqueFd out, std::uint64_t hello_deadline_ns)
    : server_(server),
      in_(std::move(in)),
      out_(std::move(out)),
      hello_deadline_(hello_deadline_ns) {
  watch_events();
}

Connection::~Connection() { server_.loop().forget(*this); }

// Level-triggered: readable unless the host neglects our output, writable while we are blocked.
void Connection::watch_events() {
  std::uint32_t in = end_ - begin_ < kStopReading ? EPOLLIN : 0;
  std::uint32_t out = blocked_ ? EPOLLOUT : 0;
  if ((in | out | EPOLLRDHUP) == watched_) return;
  bool first = watched_ == 0;
  bool ok = true;
  if (!out_) {
    ok = first ? server_.loop().add(in_.get(), in, *this)
               : server_.loop().change(in_.get(), in | out, *this);
  } else {
    ok = first
             ? server_.loop().add(in_.get(), in, *this) && server_.loop().add(out_.get(), 0, *this)
             : server_.loop().change(in_.get(), in, *this) &&
                   server_.loop().change(out_.get(), out, *this);
  }
  if (!ok) close();
  watched_ = in | out | EPOLLRDHUP;
}

void Connection::on_events(std::uint32_t events) {
  if (closed_) return;
  if ((events & EPOLLERR) != 0) return close();
  if ((events & EPOLLOUT) != 0) blocked_ = false;
  if ((events & (EPOLLIN | EPOLLHUP)) != 0) read_frames();
}

void Connection::read_frames() {
  std::span<char> room = reader_.prepare();
  ssize_t size = ::read(in_.get(), room.data(), room.size());
  if (size <= 0) {
    if (size == 0 || !would_block()) close();
    return;
  }
  reader_.commit(static_cast<std::size_t>(size));
  while (!closed_) {
    auto frame = reader_.next();
    if (!frame || (*frame && !handle(**frame))) return close();
    if (!*frame) return;
  }
}

// False: a violation.
bool Connection::handle(const Frame& frame) {
  const FrameHeader& header = frame.header;
  if (header.type == FrameType::kHello) return handle_hello(frame);
  if (!authenticated_) return false;
  if (header.type == FrameType::kPing) {
    if (header.length > 64 || header.channel != 0) return false;
    send(FrameType::kPong, 0, 0, frame.payload);
    return true;
  }
  if (header.channel == 0) return false;
  if (header.type == FrameType::kOpen) return handle_open(frame);
  auto found = channels_.find(header.channel);
  Channel* channel =
      found == channels_.end() || found->second->finished() ? nullptr : found->second.get();
  // A frame for a channel that is gone was on its way when our kClose went out.
  switch (header.type) {
    case FrameType::kData:
      if (header.stream != kStdin) return false;
      if (channel == nullptr) return true;
      if (!channel->take_window(frame.payload.size())) return false;
      channel->on_data(frame.payload);
      return true;
    case FrameType::kEof:
      if (header.stream != kStdin || header.length != 0) return false;
      if (channel != nullptr) channel->on_eof();
      return true;
    case FrameType::kCredit: {
      Reader in(frame.payload);
      auto bytes = in.number<std::uint32_t>();
      if (!in.done()) return false;
      if (channel != nullptr) return channel->on_credit(header.stream, bytes);
      if (header.stream == kStdin) return false;
      server_.executions().late_credit(header.channel, header.stream, bytes);
      return true;
    }
    case FrameType::kClose:
      if (header.length != 0) return false;
      if (channel != nullptr) {
        channel->finish();
        erase(header.channel);
      }
      return true;
    default: return false;
  }
}

// A second hello starts anew on the same stream: the next host on a stream that outlives its hosts.
bool Connection::handle_hello(const Frame& frame) {
  Reader in(frame.payload);
  auto magic = in.number<std::uint32_t>();
  auto version = in.number<std::uint16_t>();
  std::string_view token = in.rest();
  if (!in.ok() || magic != kMagic || version != kVersion || token.size() != kTokenSize) {
    return false;
  }
  unsigned difference = 0;  // looked at in full: the time must not tell where it differs
  for (std::size_t i = 0; i < kTokenSize; ++i) {
    difference |= server_.config().token[i] ^ static_cast<std::uint8_t>(token[i]);
  }
  if (difference != 0) return false;
  channels_.clear();
  ready_.clear();
  authenticated_ = true;
  server_.authenticated(*this);
  send(FrameType::kHelloOk, 0, 0,
       Writer().number(kMagic).number(kVersion).number(server_.boot_id()).bytes());
  return true;
}

bool Connection::handle_open(const Frame& frame) {
  std::uint32_t id = frame.header.channel;
  if (auto found = channels_.find(id); found != channels_.end()) {
    if (!found->second->finished()) return false;
    erase(id);
  }
  if (channels_.size() >= kMaxChannels) return false;
  Reader in(frame.payload);
  auto op = in.number<Op>();
  if (!in.ok()) return false;
  auto channel = open_channel(*this, id, op, in);
  if (channel && !channel->finished()) channels_.emplace(id, std::move(channel));
  return true;
}

void Connection::erase(std::uint32_t id) {
  std::erase(ready_, id);
  channels_.erase(id);
}

void Connection::schedule(Channel& channel) {
  if (channel.scheduled_ || channel.finished_) return;
  channel.scheduled_ = true;
  ready_.push_back(channel.id());
}

char* Connection::reserve(std::size_t size) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (capacity_ - end_ < size) {
    std::size_t used = end_ - begin_;
    std::size_t capacity = std::max<std::size_t>(capacity_, 1024);
    while (capacity < used + size) capacity *= 2;
    if (capacity == capacity_) {
      ::memmove(buffer_.get(), buffer_.get() + begin_, used);
    } else {
      auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
      if (used > 0) ::memcpy(bytes.get(), buffer_.get() + begin_, used);
      buffer_ = std::move(bytes);
      capacity_ = capacity;
    }
    begin_ = 0;
    end_ = used;
  }
  return buffer_.get() + end_;
}

void Connection::send(FrameType type, std::uint32_t channel, std::uint8_t stream,
                      std::string_view payload) {
  char* room = reserve(kHeaderSize + payload.size());
  auto header = encode_header({static_cast<std::uint32_t>(payload.size()), channel, type, stream});
  ::memcpy(room, header.data(), kHeaderSize);
  if (!payload.empty()) ::memcpy(room + kHeaderSize, payload.data(), payload.size());
  end_ += kHeaderSize + payload.size();
}

void Connection::reply(std::uint32_t channel, std::string_view result) {
  send(FrameType::kReply, channel, 0, Writer().number(Code::kOk).raw(result).bytes());
}

void Connection::reply(std::uint32_t channel, const Error& error) {
  Writer out;
  out.number(error.code()).number(static_cast<std::int32_t>(error.errno_value()));
  out.string(error.message());
  send(FrameType::kReply, channel, 0, out.bytes());
}

void Connection::answer(std::uint32_t channel, const Result<std::string>& result) {
  if (result) {
    reply(channel, *result);
  } else {
    reply(channel, result.error());
  }
  send(FrameType::kClose, channel, 0, {});
}

std::span<char> Connection::begin_data(std::size_t size) {
  return {reserve(kHeaderSize + size) + kHeaderSize, size};
}

void Connection::end_data(std::uint32_t channel, std::uint8_t stream, std::size_t size) {
  auto header =
      encode_header({static_cast<std::uint32_t>(size), channel, FrameType::kData, stream});
  ::memcpy(buffer_.get() + end_, header.data(), kHeaderSize);
  end_ += kHeaderSize + size;
}

bool Connection::send_pieces(std::uint32_t channel, std::uint8_t stream,
                             std::span<const iovec> pieces) {
  if (blocked_) return false;
  std::size_t size = 0;
  for (const iovec& piece : pieces) size += piece.iov_len;
  auto header =
      encode_header({static_cast<std::uint32_t>(size), channel, FrameType::kData, stream});
  iovec all[4] = {{buffer_.get() + begin_, end_ - begin_}, {header.data(), kHeaderSize}};
  std::copy(pieces.begin(), pieces.end(), all + 2);
  ssize_t written = 0;
  if (size >= kCopyBelow) {
    written = ::writev(out_fd(), all, static_cast<int>(2 + pieces.size()));
    if (written < 0 && !would_block()) close();
    written = std::max<ssize_t>(written, 0);
  }
  // Whatever the socket did not take of this frame is copied, so that the ring may move on.
  auto skip = static_cast<std::size_t>(written);
  std::size_t old = std::min(skip, end_ - begin_);
  bool all_gone = skip == end_ - begin_ + kHeaderSize + size;
  begin_ += old;
  skip -= old;
  for (std::size_t i = 1; i < 2 + pieces.size() && !all_gone; ++i) {
    std::size_t gone = std::min(skip, all[i].iov_len);
    skip -= gone;
    std::size_t rest = all[i].iov_len - gone;
    if (rest > 0) ::memcpy(reserve(rest), static_cast<char*>(all[i].iov_base) + gone, rest);
    end_ += rest;
  }
  if (size >= kCopyBelow && !all_gone) blocked_ = true;
  return !blocked_;
}

void Connection::write_out() {
  while (begin_ < end_ && !blocked_ && !closed_) {
    ssize_t written = ::write(out_fd(), buffer_.get() + begin_, end_ - begin_);
    if (written > 0) {
      begin_ += static_cast<std::size_t>(written);
    } else if (written < 0 && would_block()) {
      blocked_ = true;
    } else {
      close();
    }
  }
  if (begin_ == end_ && capacity_ > kKeepBuffer && ready_.empty()) {
    buffer_.reset();
    capacity_ = begin_ = end_ = 0;
  }
}

void Connection::flush() {
  for (int round = 0; round < kRounds && !closed_; ++round) {
    for (std::size_t turns = ready_.size(); turns > 0 && !ready_.empty() && !blocked_; --turns) {
      if (end_ - begin_ >= kFlushAt) write_out();
      auto found = channels_.find(ready_.front());
      ready_.erase(ready_.begin());
      if (found == channels_.end()) continue;
      Channel& channel = *found->second;
      channel.scheduled_ = false;
      if (!channel.finished_ && channel.produce()) schedule(channel);
    }
    // Finished channels clean up behind them before the host is told that they are.
    std::erase_if(channels_, [](const auto& item) { return item.second->finished(); });
    write_out();
    if (ready_.empty() || blocked_) break;
  }
  if (!closed_) watch_events();
}

}  // namespace atl::guest
