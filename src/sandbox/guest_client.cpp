#include "sandbox/guest_client.hpp"

#include <utility>

namespace atl::sandbox {

using async::Task;

GuestChannel::~GuestChannel() {
  if (connection_ && state_) connection_->forget(*state_);
}

Task<Result<std::string>> GuestChannel::reply() {
  connection_->flush();
  while (!state_->reply) {
    if (state_->broken) co_return fail(*state_->broken);
    if (state_->closed) co_return fail(Code::kProtocol, "the guest closed without a reply");
    co_await state_->incoming.wait();
  }
  co_return std::move(*state_->reply);
}

Task<Result<Chunk>> GuestChannel::read(Until until) {
  ChannelState& state = *state_;
  for (;;) {
    if (state.first_chunk < state.chunks.size()) {
      Chunk chunk = std::move(state.chunks[state.first_chunk++]);
      if (chunk.stream != guest::kControl) {
        connection_->consumed(state, chunk.stream, chunk.bytes.size());
      }
      co_return chunk;
    }
    if (state.exit || (until == Until::kStdout && state.ended[guest::kStdout])) co_return Chunk{};
    if (state.broken) co_return fail(*state.broken);
    if (state.closed) co_return fail(Code::kIo, "the stream ended before its end");
    co_await state.incoming.wait();
  }
}

void GuestChannel::acknowledge_control(std::size_t bytes) {
  connection_->consumed(*state_, guest::kControl, bytes);
}

Task<Result<void>> GuestChannel::write(std::string bytes) {
  return connection_->write(state_, std::move(bytes));
}

void GuestChannel::end_input() {
  if (state_->broken || state_->closed) return;
  connection_->send(guest::FrameType::kEof, state_->id, guest::kStdin, {});
  connection_->flush();
}

Task<Result<guest::ExitInfo>> GuestChannel::exit() {
  while (!state_->exit) {
    if (state_->broken) co_return fail(*state_->broken);
    if (state_->closed) co_return fail(Code::kProtocol, "the guest closed without an exit status");
    co_await state_->incoming.wait();
  }
  co_return *state_->exit;
}

Task<void> GuestChannel::feed_task(std::shared_ptr<GuestConnection> connection,
                                   std::shared_ptr<ChannelState> state, std::string bytes) {
  // A program that ends without reading all of its input is no error.
  Result<void> written = co_await connection->write(state, std::move(bytes));
  if (!written || state->closed || connection->broken()) co_return;
  connection->send(guest::FrameType::kEof, state->id, guest::kStdin, {});
  connection->flush();
}

void GuestChannel::feed(std::string bytes) {
  if (bytes.size() > guest::kMaxPayload) {
    connection_->spawn(feed_task(connection_, state_, std::move(bytes)));
    return;
  }
  if (!bytes.empty()) {
    state_->send_credit -= bytes.size();
    connection_->send(guest::FrameType::kData, state_->id, guest::kStdin, std::move(bytes));
  }
  connection_->send(guest::FrameType::kEof, state_->id, guest::kStdin, {});
}

GuestClient::GuestClient(async::Executor executor, async::Stream stream, const guest::Token& token,
                         std::optional<async::Stream> write_side)
    : tasks_(std::move(executor)),
      connection_(
          std::make_shared<GuestConnection>(std::move(stream), std::move(write_side), &tasks_)) {
  connection_->start(token);
}

GuestClient::~GuestClient() { close(); }

void GuestClient::close() {
  // Credits and closes that wait in the queue are worth one more try.
  connection_->flush();
  connection_->close(Error(Code::kCancelled, "the connection to the sandbox was closed"));
}

Result<GuestChannel> GuestClient::open(guest::Op op, std::string_view arguments) {
  ATOLL_TRY(std::shared_ptr<ChannelState> state, connection_->open(op, arguments));
  return GuestChannel(connection_, std::move(state));
}

Task<Result<std::string>> GuestClient::call(guest::Op op, std::string arguments) {
  ATOLL_CO_TRY(GuestChannel channel, open(op, arguments));
  co_return co_await channel.reply();
}

}  // namespace atl::sandbox
