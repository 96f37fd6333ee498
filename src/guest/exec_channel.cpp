#include "guest/exec_channel.hpp"

#include <algorithm>

#include "guest/connection.hpp"
#include "guest/operations.hpp"
#include "guest/server.hpp"

namespace atl::guest {

ChannelPtr open_exec(Connection& connection, std::uint32_t id, Execution& execution) {
  return std::make_unique<ExecChannel>(connection, id, execution);
}

ExecChannel::ExecChannel(Connection& connection, std::uint32_t id, Execution& execution)
    : Channel(connection, id), execution_(execution), foreign_(execution.input().buffered()) {
  execution.attach(*this);
  reply(encoded(ExecStarted{.exec_id = execution.id(), .pid = execution.pid()}));
  schedule();
}

ExecChannel::~ExecChannel() { execution_.detach(*this, !finished()); }

void ExecChannel::on_data(std::string_view bytes) { execution_.input().write(bytes); }

void ExecChannel::input_consumed(std::size_t bytes) {
  std::size_t foreign = std::min(foreign_, bytes);
  foreign_ -= foreign;
  consumed(bytes - foreign);
}

void ExecChannel::on_eof() { execution_.input().finish(); }

bool ExecChannel::on_credit(std::uint8_t stream, std::uint32_t bytes) {
  if (stream == kStdin || !execution_.output(stream).acknowledge(bytes)) return false;
  schedule();
  return true;
}

// False when the socket is full.
bool ExecChannel::send_output(std::uint8_t stream) {
  Output& output = execution_.output(stream);
  while (output.unsent() > 0) {
    iovec pieces[2];
    int count = output.ring().peek(output.sent(), std::min(output.unsent(), kMaxPayload), pieces);
    std::size_t size = 0;
    for (int i = 0; i < count; ++i) size += pieces[i].iov_len;
    output.mark_sent(size);  // the connection has it, or a copy of what the socket did not take
    if (!connection().send_pieces(id(), stream, {pieces, static_cast<std::size_t>(count)})) {
      return false;
    }
  }
  // Not before the program's end: the ends, the exit and kClose then reach the host in one piece.
  if (output.complete() && !execution_.running() && !eof_sent_[stream]) {
    eof_sent_[stream] = true;
    connection().send(FrameType::kEof, id(), stream, {});
  }
  return true;
}

bool ExecChannel::produce() {
  // What a program wrote before it sent a control message is seen before that message.
  bool in_order = true;
  if (execution_.output(kControl).unsent() > 0) {
    in_order = execution_.output(kStdout).drain();
    in_order = execution_.output(kStderr).drain() && in_order;
  }
  if (!send_output(kStdout)) return true;
  if (!execution_.tty() && !send_output(kStderr)) return true;
  if (execution_.has_control() && in_order && !send_output(kControl)) return true;
  bool ended = eof_sent_[kStdout] && (execution_.tty() || eof_sent_[kStderr]) &&
               (!execution_.has_control() || eof_sent_[kControl]);
  if (!execution_.running() && ended) send_exit();
  return false;
}

void ExecChannel::send_exit() {
  ExitInfo info = execution_.exit_info();
  if (execution_.output(kStdout).truncated()) info.flags |= ExitInfo::kStdoutTruncated;
  if (execution_.output(kStderr).truncated()) info.flags |= ExitInfo::kStderrTruncated;
  connection().send(FrameType::kExit, id(), 0, encoded(info));
  execution_.set_delivered(server().connection_serial(), id());
  finish();
}

}  // namespace atl::guest
