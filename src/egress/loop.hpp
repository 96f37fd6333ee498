// The event loop of atoll-egress: one thread, epoll, timers. Descriptors belong to groups, one for
// each sandbox, and every group that has something to do gets the same few events a turn: a sandbox
// with many busy connections does not hold up the others. What a group has no turn for is told
// again, and turns begin at changing places, so that nobody is always last. Nothing here is
// thread-safe.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/unique_fd.hpp"

namespace atl::egress {

class Watched {
 public:
  virtual void on_ready(int fd, std::uint32_t events) = 0;

 protected:
  ~Watched() = default;
};

class Loop;
class Watch;

class Group {
 public:
  static constexpr int kEventsPerTurn = 8;

  explicit Group(Loop& loop) : loop_(loop) {}
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  // From an event that took long: the group's others wait for its next turn.
  void end_turn() { left_ = 0; }

 private:
  friend class Loop;
  friend class Watch;

  Loop& loop_;
  std::uint64_t turn_ = 0;  // that left_ is for
  int left_ = 0;
};

// One descriptor that is watched, as long as this lives. It must be destroyed before the descriptor
// is closed.
class Watch {
 public:
  Watch(Group& group, int fd, Watched& owner) : group_(group), fd_(fd), owner_(owner) {}
  // Takes over what `from` watches, for another owner.
  Watch(Watch& from, Watched& owner);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  // Errors are reported whatever is wanted.
  void want(std::uint32_t events);
  // Not even errors, until resume(), or until something else is wanted.
  void suspend();
  void resume();
  // The descriptor is about to be closed, and nobody else has it: the kernel forgets it by itself.
  void forget();

 private:
  friend class Loop;

  Group& group_;
  int fd_;
  Watched& owner_;
  std::uint32_t events_ = 0;
  bool added_ = false, suspended_ = false;
};

class Timer {
 public:
  Timer(Loop& loop, std::function<void()> then) : loop_(loop), then_(std::move(then)) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { cancel(); }

  void start(std::chrono::milliseconds in);  // anew, if it runs
  void cancel();
  bool runs() const { return runs_; }

 private:
  friend class Loop;
  using Times = std::multimap<std::chrono::steady_clock::time_point, Timer*>;

  Loop& loop_;
  std::function<void()> then_;
  Times::iterator place_;
  bool runs_ = false;
};

class Loop {
 public:
  using Clock = std::chrono::steady_clock;

  Loop();
  // Until stop(): the exit code.
  int run();
  void stop(int code) { code_ = code, stopped_ = true; }
  // Frees it when nobody on the stack uses it any more.
  void bury(std::shared_ptr<void> dead) { graves_.push_back(std::move(dead)); }
  // The time at which this turn began.
  Clock::time_point now() const { return now_; }

 private:
  friend class Watch;
  friend class Timer;
  int until_next() const;
  void dispatch();
  void run_timers();

  UniqueFd epoll_;
  Timer::Times times_;
  std::vector<std::shared_ptr<void>> graves_;
  // Sixteen sandboxes with all the connections that they may have.
  std::array<epoll_event, 4096> ready_{};
  int ready_size_ = 0;
  std::uint64_t turn_ = 0;
  Clock::time_point now_ = Clock::now();
  bool stopped_ = false;
  int code_ = 0;
};

}  // namespace atl::egress
