// The guest's event loop: one thread, one epoll. Objects that wait on descriptors are Pollables;
// they call forget() before they die, so that no event of the running batch reaches a dead object.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/unique_fd.hpp"

namespace atl::guest {

// One buffer for bytes that are handled at once or that nobody wants.
std::span<char> scratch();

class Pollable {
 public:
  // `events` is 0 when the call comes from again().
  virtual void on_events(std::uint32_t events) = 0;

 protected:
  ~Pollable() = default;
};

class Loop {
 public:
  Loop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

  bool add(int fd, std::uint32_t events, Pollable& who) {
    return control(EPOLL_CTL_ADD, fd, events, who);
  }
  bool change(int fd, std::uint32_t events, Pollable& who) {
    return control(EPOLL_CTL_MOD, fd, events, who);
  }
  // Needed only for a descriptor with a duplicate: the kernel forgets others when they are closed.
  void remove(int fd) { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }
  void forget(const Pollable& who);
  // Gives `who` another turn in the next round: work is cut in slices so that nobody starves.
  void again(Pollable& who);
  // Waits for events (-1: for ever) and hands them out.
  void wait(int timeout_ms);

 private:
  bool control(int op, int fd, std::uint32_t events, Pollable& who);

  UniqueFd epoll_;
  std::array<epoll_event, 32> batch_;
  int count_ = 0;
  std::vector<Pollable*> again_;
  std::vector<Pollable*> turn_;
};

}  // namespace atl::guest
