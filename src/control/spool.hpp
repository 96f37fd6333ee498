// The output of one execution, between the one who reads it from the sandbox and any number of
// readers. What is kept for the result is bounded; a live reader sees everything: the writer waits
// while a reader is more than a window behind, and when nobody reads, what goes beyond the kept
// part is dropped and `truncated` set. The kept part is in memory as long as it is small, and then
// in a file.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/event.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "control/journal.hpp"
#include "model/execution.hpp"

namespace atl::control {

// Where the kept part goes when it is more than kHeld; none: it stays in memory.
struct SpoolDisk {
  std::function<Journal()> open;
  std::function<bool()> has_room;  // false: nothing more is kept
};

class Spool : public std::enable_shared_from_this<Spool> {
 public:
  static constexpr std::uint64_t kWindow = 1 << 20;  // bytes that a live reader may be behind

  static constexpr std::uint64_t kHeld = model::kMaxOutputInMemory;  // of the kept part

  explicit Spool(std::uint64_t kept_per_stream, SpoolDisk disk = {})
      : kept_limit_(kept_per_stream), disk_(std::move(disk)) {}

  // From now on every kept piece goes to the file at once, those of before as well.
  void write_through();
  bool has_file() const { return static_cast<bool>(journal_); }
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
    SpoolEvent held_;      // of the kept part
    std::optional<JournalReader> file_;
  };

 private:
  bool must_wait() const;
  void add(SpoolKind kind, std::string data, bool kept);
  bool keep(SpoolEvent& event);  // moved from; false: the disk does not take it
  void trim();
  const SpoolEvent* first_kept_behind(Reader& reader) const;
  const SpoolEvent* first_behind(Reader& reader) const;

  std::uint64_t kept_limit_;
  std::uint64_t kept_stdout_ = 0, kept_stderr_ = 0, kept_other_ = 0;
  std::uint64_t next_number_ = 1;
  SpoolDisk disk_;
  Journal journal_;              // all of the kept part, once it is there
  std::uint64_t looked_at_ = 0;  // its size when the disk was last asked for room
  bool in_memory_ = true;        // kept_ is all of the kept part as well
  std::uint64_t held_bytes_ = 0;
  std::deque<SpoolEvent> kept_;  // for the result
  std::deque<SpoolEvent> live_;  // beyond it: until every reader has it
  std::uint64_t live_bytes_ = 0;
  std::vector<Reader*> readers_;
  bool ended_ = false;
  bool truncated_ = false;
  bool full_ = false;     // the disk takes no more
  async::Event changed_;  // all of these
};

}  // namespace atl::control
