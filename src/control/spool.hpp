// The output of one execution, between the one who reads it from the sandbox and any number of
// readers. What is kept for the result is bounded; a live reader sees everything: the writer waits
// while a reader is more than a window behind, and when nobody reads, what goes beyond the kept
// part is dropped and `truncated` set.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/event.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "model/execution.hpp"

namespace atl::control {

enum class SpoolKind { kStdout, kStderr, kResult, kDisplay, kError, kEnd };

struct SpoolEvent {
  std::uint64_t number = 0;  // 1, 2, …: what a reader says to go on behind it
  SpoolKind kind = SpoolKind::kEnd;
  std::string data;  // bytes of a stream, or JSON
};

class Spool : public std::enable_shared_from_this<Spool> {
 public:
  static constexpr std::uint64_t kWindow = 1 << 20;  // bytes that a live reader may be behind

  explicit Spool(std::uint64_t kept_per_stream) : kept_limit_(kept_per_stream) {}

  // Every kept piece of a stream is handed to this as well, those of before at once.
  void set_keeper(std::function<void(SpoolKind, std::string_view)> keeper);
  // Waits while a reader is too far behind; never when there is none.
  async::Task<void> put(SpoolKind kind, std::string data);
  void end();  // no more puts; readers get kEnd
  bool ended() const { return ended_; }
  bool truncated() const { return truncated_; }
  // The kept part, whole bytes; it stays readable.
  model::Output output() const;
  std::uint64_t last_number() const { return next_number_ - 1; }

  // One live reader. Events that fell out of the window before it came are not given again: the
  // kept part is.
  class Reader {
   public:
    Reader(std::shared_ptr<Spool> spool, std::uint64_t after);
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader();
    // The next event; kEnd again and again at the end. Cancellable. The event stays valid until the
    // next call.
    async::Task<const SpoolEvent*> next();

   private:
    friend class Spool;
    std::shared_ptr<Spool> spool_;
    std::uint64_t after_;  // done with
    std::uint64_t at_;     // given out
  };

 private:
  bool must_wait() const;
  void add(SpoolKind kind, std::string data, bool kept);
  void trim();
  const SpoolEvent* first_behind(std::uint64_t number) const;

  std::uint64_t kept_limit_;
  std::uint64_t kept_stdout_ = 0, kept_stderr_ = 0, kept_other_ = 0;
  std::uint64_t next_number_ = 1;
  std::deque<SpoolEvent> kept_;  // for the result
  std::deque<SpoolEvent> live_;  // beyond it: until every reader has it
  std::uint64_t live_bytes_ = 0;
  std::vector<Reader*> readers_;
  std::function<void(SpoolKind, std::string_view)> keeper_;
  bool ended_ = false;
  bool truncated_ = false;
  async::Event changed_;  // all of these
};

}  // namespace atl::control
