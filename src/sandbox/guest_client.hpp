// Speaks the guest protocol to one guest. The client owns the connection and the tasks behind it;
// destroying it ends every operation in flight with an Error and leaves the guest running.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "async/stream.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/result.hpp"
#include "guest/messages.hpp"
#include "sandbox/guest_connection.hpp"

namespace atl::sandbox {

// One operation in flight. Dropping it tells the guest to forget the channel; an execution goes on.
// Its coroutines end before it is destroyed.
class GuestChannel {
 public:
  GuestChannel(std::shared_ptr<GuestConnection> connection, std::shared_ptr<ChannelState> state)
      : connection_(std::move(connection)), state_(std::move(state)) {}
  GuestChannel(GuestChannel&&) noexcept = default;
  GuestChannel& operator=(GuestChannel&&) = delete;
  ~GuestChannel();

  // What the operation answered, after its code.
  async::Task<Result<std::string>> reply();
  // Which streams have an end of their own. What runs has an exit, which comes after all its ends,
  // whichever of them there are.
  enum class Until { kStdout, kExit };
  // The next bytes in order of arrival; the end is stream 0. A channel that closed before its end
  // is an Error. Bytes of the control stream are credited when they are acknowledged.
  async::Task<Result<Chunk>> read(Until until = Until::kStdout);
  void acknowledge_control(std::size_t bytes);
  void settle() { connection_->settle(*state_); }
  async::Task<Result<void>> write(std::string bytes);
  // kEof on stream 0.
  void end_input();
  async::Task<Result<guest::ExitInfo>> exit();
  // Writes all of it and the end, in the background; frames that fit in the window are queued at
  // once.
  void feed(std::string bytes);
  void flush() { connection_->flush(); }
  std::size_t buffered() const { return state_->buffered(); }

 private:
  static async::Task<void> feed_task(std::shared_ptr<GuestConnection> connection,
                                     std::shared_ptr<ChannelState> state, std::string bytes);

  std::shared_ptr<GuestConnection> connection_;
  std::shared_ptr<ChannelState> state_;
};

class GuestClient {
 public:
  // Queues the hello and returns: the first operation leaves in the same write.
  GuestClient(async::Executor executor, async::Stream stream, const guest::Token& token,
              std::optional<async::Stream> write_side = std::nullopt);
  GuestClient(const GuestClient&) = delete;
  GuestClient& operator=(const GuestClient&) = delete;
  ~GuestClient();

  // Waits for the guest's answer: its boot id.
  async::Task<Result<std::uint64_t>> hello() { return connection_->hello(); }
  async::Task<Result<void>> ping() { return connection_->ping(); }
  // The frame is queued; flush() or the channel's first wait sends it.
  Result<GuestChannel> open(guest::Op op, std::string_view arguments);
  // open, reply, done.
  async::Task<Result<std::string>> call(guest::Op op, std::string arguments);
  // Set once the connection is lost.
  const std::optional<Error>& broken() const { return connection_->broken(); }
  void close();

 private:
  async::TaskGroup tasks_;
  std::shared_ptr<GuestConnection> connection_;
};

}  // namespace atl::sandbox
