// The host end of one connection to a guest: frames in are handed to the channels they belong to,
// frames out wait in a bounded queue. Shared by the GuestClient that owns it and by the operations
// in flight; after close() or a failure every one of them ends with an Error. One I/O thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "async/event.hpp"
#include "async/stream.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/result.hpp"
#include "guest/messages.hpp"
#include "guest/protocol.hpp"
#include "sandbox/frame_input.hpp"
#include "sandbox/frame_output.hpp"

namespace atl::sandbox {

struct Chunk {
  std::uint8_t stream = 0;  // 0: the end
  std::string bytes;
};

inline constexpr std::size_t kStreams = 4;  // numbered as in guest/protocol.hpp

// What is known of one channel. Bounded: a guest that sends beyond its credit is cut off.
struct ChannelState {
  std::uint32_t id = 0;
  std::optional<Result<std::string>> reply;
  std::optional<guest::ExitInfo> exit;
  std::optional<Error> broken;
  bool closed = false;  // the guest is done with it
  std::array<bool, kStreams> ended{};
  std::vector<Chunk> chunks;  // read from `first_chunk` on
  std::size_t first_chunk = 0;
  std::array<std::size_t, kStreams> uncredited{};  // received, buffered or consumed, not credited
  std::array<std::size_t, kStreams> consumed{};    // of these, taken by the reader
  std::size_t send_credit = guest::kWindow;
  async::Event incoming;  // anything above changed
  async::Event sendable;  // credit came, or it never will

  std::size_t buffered() const;
};

class GuestConnection : public std::enable_shared_from_this<GuestConnection> {
 public:
  GuestConnection(async::Stream stream, std::optional<async::Stream> write_side,
                  async::TaskGroup* tasks);

  // Queues the hello and starts reading. Nothing is written before the first flush().
  void start(const guest::Token& token);
  void close(Error why);
  const std::optional<Error>& broken() const { return broken_; }

  Result<std::shared_ptr<ChannelState>> open(guest::Op op, std::string_view arguments);
  void send(guest::FrameType type, std::uint32_t channel, std::uint8_t stream, std::string payload);
  // Writes what the socket takes; a task of its own writes the rest.
  void flush();
  // The reader took these bytes: gives credit back once half a window has come together.
  void consumed(ChannelState& channel, std::uint8_t stream, std::size_t size);
  // Gives back all credit of what the reader took, with the next flush().
  void settle(ChannelState& channel);
  void forget(ChannelState& channel);

  async::Task<Result<void>> write(std::shared_ptr<ChannelState> channel, std::string bytes);
  async::Task<Result<std::uint64_t>> hello();
  async::Task<Result<void>> ping();
  bool spawn(async::Task<void> task) { return tasks_ && tasks_->spawn(std::move(task)); }

 private:
  // Data writers wait above this; control frames are small and bounded by what they answer.
  static constexpr std::size_t kQueueLimit = 1024 * 1024;

  static async::Task<void> read_loop(std::shared_ptr<GuestConnection> self);
  static async::Task<void> write_loop(std::shared_ptr<GuestConnection> self);
  async::Stream& writer() { return write_side_ ? *write_side_ : stream_; }
  Result<void> take_frames();
  Result<void> on_frame(InFrame frame);
  Result<void> on_channel_frame(ChannelState& channel, InFrame& frame);
  Result<void> on_data(ChannelState& channel, InFrame& frame);
  Result<void> on_hello(std::string_view payload);
  void send_credit(ChannelState& channel, std::uint8_t stream);

  async::Stream stream_;
  std::optional<async::Stream> write_side_;
  async::TaskGroup* tasks_;
  FrameInput input_;
  FrameOutput output_;
  bool writing_ = false;     // write_loop waits for room
  bool write_dead_ = false;  // the guest stopped reading; the reader will learn why
  std::optional<Error> broken_;
  std::optional<std::uint64_t> boot_id_;
  std::uint64_t pings_ = 0;
  std::uint64_t pongs_ = 0;
  std::uint32_t next_channel_ = 1;
  std::unordered_map<std::uint32_t, std::shared_ptr<ChannelState>> channels_;
  async::Event changed_;  // hello, pong, room in the queue, failure
};

}  // namespace atl::sandbox
