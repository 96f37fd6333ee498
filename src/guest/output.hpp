// One output stream of an execution: a pipe, terminal or control socket, read into a ring that
// keeps every byte until the host has acknowledged it. A full ring stops the reading, and so the
// program, while a host reads or may come back; otherwise new bytes are dropped and the stream is
// marked as truncated.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/unique_fd.hpp"
#include "guest/loop.hpp"
#include "guest/protocol.hpp"
#include "guest/ring.hpp"

namespace atl::guest {

class Execution;

class Output final : public Pollable {
 public:
  enum class Kind { kPipe, kTerminal, kSocket };

  Output(Loop& loop, Execution& owner) : loop_(loop), owner_(owner) {}
  ~Output();

  bool open(UniqueFd fd, Kind kind);
  void on_events(std::uint32_t events) override;
  // Reads what fits, a slice at a time.
  void pump();
  // Reads even if nobody has said that there is something: true when nothing was left behind.
  bool drain();
  // The program ended: what is in the pipe now still counts. What others write later is read and
  // forgotten, so that they neither block nor die of SIGPIPE.
  void program_ended();
  // Nothing more will come into the ring.
  bool complete() const { return complete_; }
  bool truncated() const { return truncated_; }
  bool open() const { return static_cast<bool>(fd_); }

  const Ring& ring() const { return ring_; }
  std::size_t unsent() const { return ring_.size() - sent_; }
  std::size_t sent() const { return sent_; }
  void mark_sent(std::size_t bytes) { sent_ += bytes; }
  void rewind() { sent_ = 0; }  // a new reader starts at the first unacknowledged byte
  bool acknowledge(std::size_t bytes);

 private:
  void close();
  std::ptrdiff_t read_some();

  Loop& loop_;
  Execution& owner_;
  UniqueFd fd_;
  Ring ring_{kWindow};
  std::size_t sent_ = 0;       // of the ring's bytes, how many the present reader was sent
  std::size_t pipe_left_ = 0;  // after the program's end: bytes in the pipe that still count
  Kind kind_ = Kind::kPipe;
  bool readable_ = true;
  bool ending_ = false;
  bool complete_ = true;
  bool truncated_ = false;
  bool widened_ = false;
};

}  // namespace atl::guest
