// One interpreter process and everything it says, from its first word to its end. A task of its own
// reads at all times, so that code in the background never waits for a run that does not come.
// Shared by that task and the Context; one I/O thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "async/event.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "contexts/message.hpp"
#include "contexts/run.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::contexts {

class Interpreter {
 public:
  enum class Phase { kStarting, kIdle, kRunning, kEnded };
  struct Done {
    int exit_code = 0;
    std::int64_t execution_count = 0;
  };

  // `attached`: it was started by somebody who is gone. It counts as running until its last words
  // have told otherwise, which is why the end of a run is acknowledged when the next one begins.
  Interpreter(std::unique_ptr<sandbox::Process> process, bool attached);

  // Reads until the end. Spawn it once.
  static async::Task<void> read(std::shared_ptr<Interpreter> self);

  Phase phase() const { return phase_; }
  std::uint64_t exec_id() const { return process_->exec_id(); }
  const std::string& version() const { return version_; }
  // Why it cannot do what it is for, in its own words; empty when it can.
  const std::string& problem() const { return problem_; }
  // It is ready and has run nothing yet.
  bool fresh() const { return fresh_; }
  const Done& done() const { return done_; }
  // Of the last run.
  const RunUsage& usage() const { return used_; }
  // Of what has ended: why, or, when the way to it was lost, that.
  const Crash& crash() const { return crash_; }
  const std::optional<Error>& lost() const { return lost_; }
  // What it printed before it was ready, the end of it.
  const std::string& complaint() const { return complaint_; }
  std::uint64_t bytes_read() const { return bytes_read_; }

  // Sends the code; kRunning from now on. The events of the run follow, after what was printed
  // since the last one.
  async::Task<Result<void>> begin(std::string code);
  // nullopt once the run is over: the phase says how.
  async::Task<std::optional<RunEvent>> next();
  // Nobody wants what is still to come of this run.
  void abandon();
  bool has_events() const { return !queue_.empty(); }
  // Until the phase pleases the caller, who keeps this object alive.
  async::Task<Result<void>> until(bool (*enough)(Phase phase));
  async::Task<Result<void>> signal(int number);
  // SIGKILL; `why` becomes the cause that is reported.
  async::Task<Result<void>> kill(std::string why);
  async::Task<Result<void>> close_input() { return process_->close_stdin(); }

 private:
  static constexpr std::size_t kMaxQueued = 256 * 1024;  // of a run; more makes the code wait
  static constexpr std::size_t kMaxBetween = 64 * 1024;  // printed between runs and kept
  static constexpr std::size_t kMaxComplaint = 4 * 1024;
  // Together with the half window that credit waits for, these stay within the window.
  static constexpr std::size_t kMaxHeld = 64 * 1024;
  static constexpr std::size_t kMaxPartial = 128 * 1024;

  static constexpr std::size_t kMaxSettled = 4096;  // in a run

  bool crowded() const { return phase_ == Phase::kRunning && queued_ >= kMaxQueued; }
  Result<void> take(sandbox::OutputChunk chunk);
  Result<void> take_control(std::string_view bytes);
  Result<void> take_message(Message message);
  Result<void> take_done(std::string body);
  void take_text(EventKind kind, std::string bytes);
  void push(RunEvent event);
  void acknowledge();
  void ended(const sandbox::ExitStatus& status);
  void count(RunUsage total);

  std::unique_ptr<sandbox::Process> process_;
  MessageReader reader_;
  Phase phase_;
  bool attached_;
  bool fresh_ = false;
  bool abandoned_ = false;
  bool hold_ = false;    // the last message says that it is idle: kept for whoever attaches
  bool settle_ = false;  // it waits to be told that it has been read
  std::size_t settled_ = 0;
  std::size_t unacknowledged_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::deque<RunEvent> queue_;
  std::size_t queued_ = 0;
  Done done_;
  RunUsage used_;
  RunUsage total_;
  Crash crash_;
  std::optional<Error> lost_;
  std::string killed_because_;
  std::string version_;
  std::string problem_;
  std::string complaint_;
  async::Event changed_;  // the queue or the phase
  async::Event room_;     // in the queue
};

}  // namespace atl::contexts
