// Bytes from the host on their way into a program or a TCP connection: a bounded buffer in front of
// a descriptor that does not block. A reader that is gone makes further bytes vanish.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/unique_fd.hpp"
#include "guest/loop.hpp"
#include "guest/protocol.hpp"
#include "guest/ring.hpp"

namespace atl::guest {

class InputOwner {
 public:
  virtual void input_consumed(std::size_t bytes) = 0;

 protected:
  ~InputOwner() = default;
};

class Input final : public Pollable {
 public:
  enum class Kind { kPipe, kTerminal, kSocket };
  // A re-attached host has a fresh window while old bytes still wait: hence more than one window.
  static constexpr std::size_t kLimit = 4 * kWindow;

  Input(Loop& loop, InputOwner& owner) : loop_(loop), owner_(owner) {}
  ~Input() { close(); }

  void open(UniqueFd fd, Kind kind);
  void write(std::string_view bytes);  // waits in the buffer until open()
  void finish();                       // end of file, once everything before is written
  void close();
  std::size_t buffered() const { return ring_.size(); }
  void on_events(std::uint32_t events) override;

 private:
  void pump();
  std::size_t write_some(const iovec* pieces, int count);
  void end();

  Loop& loop_;
  InputOwner& owner_;
  UniqueFd fd_;
  Ring ring_{kLimit};
  Kind kind_ = Kind::kPipe;
  bool watched_ = false;
  bool blocked_ = false;
  bool finishing_ = false;
  bool closed_ = false;
};

}  // namespace atl::guest
