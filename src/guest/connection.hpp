// One host connection: reads frames, owns the channels, writes frames. Output waits in one buffer
// that is flushed once per round of the loop; large pieces go straight from their ring to the
// socket. Any violation of the protocol closes it; executions live on without it.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "guest/channel.hpp"
#include "guest/frame.hpp"
#include "guest/loop.hpp"

namespace atl::guest {

class Connection final : public Pollable {
 public:
  // `out` is empty when `in` is a socket that goes both ways.
  Connection(Server& server, UniqueFd in, UniqueFd out, std::uint64_t hello_deadline_ns);
  ~Connection();

  void on_events(std::uint32_t events) override;
  void flush();
  // True when flush() left work that needs no event to go on.
  bool busy() const { return !closed_ && !blocked_ && (!ready_.empty() || end_ > begin_); }
  bool closed() const { return closed_; }
  void close() { closed_ = true; }
  bool authenticated() const { return authenticated_; }
  std::uint64_t hello_deadline() const { return hello_deadline_; }
  Server& server() { return server_; }

  void send(FrameType type, std::uint32_t channel, std::uint8_t stream, std::string_view payload);
  void reply(std::uint32_t channel, std::string_view result);
  void reply(std::uint32_t channel, const Error& error);
  // Replies and closes a channel that never came to be.
  void answer(std::uint32_t channel, const Result<std::string>& result);
  // Room for a payload inside the output buffer, to read a file or socket into without a copy.
  std::span<char> begin_data(std::size_t size);
  void end_data(std::uint32_t channel, std::uint8_t stream, std::size_t size);
  // Sends the pieces as one kData frame. False when the socket is full: call again from produce().
  bool send_pieces(std::uint32_t channel, std::uint8_t stream, std::span<const iovec> pieces);
  void schedule(Channel& channel);

 private:
  void read_frames();
  bool handle(const Frame& frame);
  bool handle_hello(const Frame& frame);
  bool handle_open(const Frame& frame);
  void erase(std::uint32_t id);
  void write_out();
  void watch_events();
  int out_fd() const { return out_ ? out_.get() : in_.get(); }
  char* reserve(std::size_t size);

  Server& server_;
  UniqueFd in_;
  UniqueFd out_;
  std::uint64_t hello_deadline_;
  FrameReader reader_;
  std::map<std::uint32_t, std::unique_ptr<Channel>> channels_;
  std::vector<std::uint32_t> ready_;  // channels that asked for produce()
  std::unique_ptr<char[]> buffer_;    // frames not yet written: [begin_, end_)
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool authenticated_ = false;
  bool blocked_ = false;  // the socket takes no more for now
  bool closed_ = false;
  std::uint32_t watched_ = 0;
};

}  // namespace atl::guest
