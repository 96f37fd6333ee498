// What a GuestConnection does with each frame that arrives. The guest may be in the hands of the
// code it runs: everything is checked, and the first lie ends the connection.
#include <utility>

#include "guest/wire.hpp"
#include "sandbox/guest_connection.hpp"

namespace atl::sandbox {

using guest::FrameType;

namespace {

std::unexpected<Error> lie(const char* what) {
  return fail(Code::kProtocol, std::string("the guest broke the protocol: ") + what);
}

bool is_output(std::uint8_t stream) { return stream >= guest::kStdout && stream < kStreams; }

// The reply's payload after its code, or the Error that it carries.
Result<std::string> reply_of(std::string_view payload) {
  guest::Reader in(payload);
  Code code = code_from_number(in.number<std::uint16_t>());
  if (!in.ok()) return lie("short reply");
  if (code == Code::kOk) return std::string(in.rest());
  auto errno_value = in.number<std::int32_t>();
  std::string message(in.view().substr(0, 1024));
  if (!in.ok()) return lie("short error");
  return fail(Error(code, std::move(message), errno_value));
}

}  // namespace

Result<void> GuestConnection::take_frames() {
  for (;;) {
    ATOLL_TRY(std::optional<InFrame> frame, input_.next());
    if (!frame) return {};
    ATOLL_CHECK(on_frame(std::move(*frame)));
  }
}

Result<void> GuestConnection::on_hello(std::string_view payload) {
  guest::Reader in(payload);
  auto magic = in.number<std::uint32_t>();
  auto version = in.number<std::uint16_t>();
  auto boot_id = in.number<std::uint64_t>();
  if (!in.done() || magic != guest::kMagic || boot_id_) return lie("hello");
  if (version != guest::kVersion) {
    return fail(Code::kProtocol, "the guest speaks another version of the protocol");
  }
  boot_id_ = boot_id;
  changed_.notify_all();
  return {};
}

Result<void> GuestConnection::on_frame(InFrame frame) {
  if (frame.header.type == FrameType::kHelloOk) return on_hello(frame.payload);
  if (frame.header.channel == 0 && frame.header.type == FrameType::kReply) {
    // The answer to a hello that was refused.
    Result<std::string> refusal = reply_of(frame.payload);
    if (refusal) return lie("reply without a channel");
    return fail(std::move(refusal).error());
  }
  if (!boot_id_) return lie("no hello");
  if (frame.header.type == FrameType::kPong) {
    guest::Reader in(frame.payload);
    auto number = in.number<std::uint64_t>();
    if (!in.done() || number != pongs_ + 1 || number > pings_) return lie("pong");
    pongs_ = number;
    changed_.notify_all();
    return {};
  }
  auto found = channels_.find(frame.header.channel);
  if (found == channels_.end()) {
    // Frames of a channel that was closed meanwhile are late, not wrong.
    if (frame.header.channel == 0 || frame.header.channel >= next_channel_) return lie("channel");
    return {};
  }
  std::shared_ptr<ChannelState> channel = found->second;
  ATOLL_CHECK(on_channel_frame(*channel, frame));
  channel->incoming.notify_all();
  return {};
}

Result<void> GuestConnection::on_channel_frame(ChannelState& channel, InFrame& frame) {
  std::uint8_t stream = frame.header.stream;
  switch (frame.header.type) {
    case FrameType::kReply:
      if (channel.reply) return lie("second reply");
      channel.reply = reply_of(frame.payload);
      if (!*channel.reply) channel.sendable.notify_all();
      return {};
    case FrameType::kData: return on_data(channel, frame);
    case FrameType::kEof:
      if (!is_output(stream)) return lie("stream");
      channel.ended[stream] = true;
      return {};
    case FrameType::kCredit: {
      guest::Reader in(frame.payload);
      auto credit = in.number<std::uint32_t>();
      if (!in.done() || stream != guest::kStdin) return lie("credit");
      if (credit > guest::kWindow - channel.send_credit) return lie("more credit than was used");
      channel.send_credit += credit;
      channel.sendable.notify_all();
      return {};
    }
    case FrameType::kExit: {
      auto exit = guest::decoded<guest::ExitInfo>(frame.payload);
      if (!exit || channel.exit) return lie("exit");
      channel.exit = *exit;
      channel.sendable.notify_all();
      return {};
    }
    case FrameType::kClose:
      channel.closed = true;
      channel.sendable.notify_all();
      channels_.erase(channel.id);
      return {};
    case FrameType::kHello:
    case FrameType::kHelloOk:
    case FrameType::kOpen:
    case FrameType::kPing:
    case FrameType::kPong: break;
  }
  return lie("frame type");
}

Result<void> GuestConnection::on_data(ChannelState& channel, InFrame& frame) {
  std::uint8_t stream = frame.header.stream;
  if (!is_output(stream)) return lie("stream");
  if (channel.ended[stream]) return lie("bytes after the end");
  if (frame.data.size() > guest::kWindow - channel.uncredited[stream]) return lie("no credit");
  if (frame.data.empty()) return {};
  channel.uncredited[stream] += frame.data.size();
  if (channel.first_chunk == channel.chunks.size()) {
    channel.chunks.clear();
    channel.first_chunk = 0;
  }
  channel.chunks.push_back({.stream = stream, .bytes = std::move(frame.data)});
  return {};
}

}  // namespace atl::sandbox
