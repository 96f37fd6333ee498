#include "sandbox/guest_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "async/deadline.hpp"
#include "guest/wire.hpp"

namespace atl::sandbox {

using async::Task;
using guest::FrameType;

std::size_t ChannelState::buffered() const {
  std::size_t sum = 0;
  for (std::size_t i = first_chunk; i < chunks.size(); ++i) sum += chunks[i].bytes.size();
  return sum;
}

GuestConnection::GuestConnection(async::Stream stream, std::optional<async::Stream> write_side,
                                 async::TaskGroup* tasks)
    : stream_(std::move(stream)), write_side_(std::move(write_side)), tasks_(tasks) {}

void GuestConnection::start(const guest::Token& token) {
  guest::Writer hello;
  hello.number(guest::kMagic).number(guest::kVersion);
  hello.raw({reinterpret_cast<const char*>(token.data()), token.size()});
  send(FrameType::kHello, 0, 0, std::move(hello).bytes());
  spawn(read_loop(shared_from_this()));
}

void GuestConnection::close(Error why) {
  tasks_ = nullptr;
  if (broken_) return;
  broken_ = why;
  stream_.close();
  if (write_side_) write_side_->close();
  output_.clear();
  for (auto& [id, channel] : std::exchange(channels_, {})) {
    channel->broken = why;
    channel->incoming.notify_all();
    channel->sendable.notify_all();
  }
  changed_.notify_all();
}

Result<std::shared_ptr<ChannelState>> GuestConnection::open(guest::Op op,
                                                            std::string_view arguments) {
  if (broken_) return fail(*broken_);
  if (channels_.size() >= guest::kMaxChannels) {
    return fail(Code::kResourceExhausted, "too many operations at once in this sandbox");
  }
  guest::Writer payload;
  payload.number(op).raw(arguments);
  if (payload.bytes().size() > guest::kMaxPayload) {
    return fail(Code::kTooLarge, "the arguments are larger than 128 KiB");
  }
  auto channel = std::make_shared<ChannelState>();
  channel->id = next_channel_++;
  channels_.emplace(channel->id, channel);
  send(FrameType::kOpen, channel->id, 0, std::move(payload).bytes());
  return channel;
}

void GuestConnection::send(FrameType type, std::uint32_t channel, std::uint8_t stream,
                           std::string payload) {
  if (!broken_ && !write_dead_) output_.add(type, channel, stream, std::move(payload));
}

void GuestConnection::flush() {
  while (!writing_ && !output_.empty()) {
    auto done = writer().try_write(output_.front());
    if (!done) {
      // An error in the other direction may say more, so the reader has the last word.
      write_dead_ = true;
      output_.clear();
    } else if (*done) {
      output_.consume(**done);
    } else {
      writing_ = true;
      if (!spawn(write_loop(shared_from_this()))) writing_ = false;
      return;
    }
  }
}

Task<void> GuestConnection::write_loop(std::shared_ptr<GuestConnection> self) {
  Result<void> ready = co_await self->writer().writable();
  self->writing_ = false;
  if (!ready || self->broken_) co_return;
  self->flush();
  self->changed_.notify_all();
}

Task<Result<void>> GuestConnection::write(std::shared_ptr<ChannelState> channel,
                                          std::string bytes) {
  std::size_t offset = 0;
  while (offset < bytes.size()) {
    if (channel->broken) co_return fail(*channel->broken);
    if (channel->reply && !*channel->reply) co_return fail(channel->reply->error());
    if (channel->closed || channel->exit) {
      co_return fail(Error(Code::kIo, "the reader of this stream is gone", EPIPE));
    }
    if (channel->send_credit == 0) {
      co_await channel->sendable.wait();
      continue;
    }
    if (output_.bytes() > kQueueLimit) {
      co_await changed_.wait();
      continue;
    }
    std::size_t step = std::min({bytes.size() - offset, channel->send_credit, guest::kMaxPayload});
    channel->send_credit -= step;
    bool whole = offset == 0 && step == bytes.size();
    send(FrameType::kData, channel->id, guest::kStdin,
         whole ? std::exchange(bytes, {}) : bytes.substr(offset, step));
    offset = whole ? 0 : offset + step;
    flush();
  }
  co_return Result<void>();
}

void GuestConnection::consumed(ChannelState& channel, std::uint8_t stream, std::size_t size) {
  channel.consumed[stream] += size;
  if (channel.consumed[stream] < guest::kWindow / 2 || channel.ended[stream] || channel.closed)
    return;
  send_credit(channel, stream);
  flush();
}

void GuestConnection::send_credit(ChannelState& channel, std::uint8_t stream) {
  std::size_t size = std::exchange(channel.consumed[stream], 0);
  if (size == 0) return;
  channel.uncredited[stream] -= size;
  guest::Writer payload;
  payload.number(static_cast<std::uint32_t>(size));
  send(FrameType::kCredit, channel.id, stream, std::move(payload).bytes());
}

void GuestConnection::settle(ChannelState& channel) {
  if (channel.closed) return;
  for (std::uint8_t stream : {guest::kStdout, guest::kStderr, guest::kControl}) {
    send_credit(channel, stream);
  }
}

void GuestConnection::forget(ChannelState& channel) {
  if (channels_.erase(channel.id) == 0 || channel.closed) return;
  // Credit is the acknowledgement: what was read is not sent again to whoever attaches next.
  settle(channel);
  send(FrameType::kClose, channel.id, 0, {});
  flush();
}

Task<Result<std::uint64_t>> GuestConnection::hello() {
  flush();
  while (!boot_id_ && !broken_) co_await changed_.wait();
  if (!boot_id_) co_return fail(*broken_);
  co_return *boot_id_;
}

Task<Result<void>> GuestConnection::ping() {
  guest::Writer payload;
  std::uint64_t mine = ++pings_;
  payload.number(mine);
  send(FrameType::kPing, 0, 0, std::move(payload).bytes());
  flush();
  while (pongs_ < mine && !broken_) co_await changed_.wait();
  if (pongs_ < mine) co_return fail(*broken_);
  co_return Result<void>();
}

Task<void> GuestConnection::read_loop(std::shared_ptr<GuestConnection> self) {
  // A guest that never pauses must not keep everybody else from running.
  constexpr std::size_t kTurn = guest::kWindow / 2;
  std::size_t taken = 0;
  bool drained = true;  // nothing is there yet, or the last read took all: wait before reading
  while (!self->broken_) {
    if (std::exchange(drained, false)) {
      taken = 0;
      Result<void> ready = co_await self->stream_.readable();
      if (!ready) co_return self->close(std::move(ready).error());
    }
    std::span<const iovec> room = self->input_.prepare();
    auto got = self->stream_.try_read(room);
    if (!got) co_return self->close(std::move(got).error());
    if (!*got) {
      drained = true;
      continue;
    }
    std::size_t size = **got;
    if (size == 0) co_return self->close(Error(Code::kBackend, "the sandbox's guest is gone"));
    std::size_t asked = 0;
    for (const iovec& part : room) asked += part.iov_len;
    drained = size < asked;
    self->input_.commit(size);
    Result<void> understood = self->take_frames();
    if (!understood) co_return self->close(std::move(understood).error());
    taken += size;
    if (taken >= kTurn && !drained) {
      taken = 0;
      co_await async::yield_now();
    }
  }
}

}  // namespace atl::sandbox
