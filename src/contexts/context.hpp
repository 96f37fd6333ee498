// A stateful interpreter in a sandbox: code is run in it piece by piece, one after the other, and
// what a piece leaves behind is there for the next. A context outlives its interpreter: one that
// crashes, or does not stop when its time is up, is replaced before the next run.
//
// Called on the I/O thread of its sandbox, which must outlive it. Dropping a context without
// close() leaves its interpreter behind in the sandbox, where reattach() finds it again; no call
// may be waiting then.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "async/event.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/result.hpp"
#include "contexts/interpreter.hpp"
#include "contexts/language.hpp"
#include "contexts/run.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::contexts {

inline constexpr std::size_t kMaxCode = 8u << 20;
inline constexpr std::size_t kMaxWaiting = 64;  // runs, besides the one that runs

struct ContextOptions {
  Language language = Language::kPython;
  std::string cwd;                         // empty: the workspace
  std::map<std::string, std::string> env;  // added to the sandbox's own
  bool zygote = true;                      // where the sandbox has one for this language
  std::chrono::milliseconds start_timeout{30'000};
  std::chrono::milliseconds grace{2'000};  // between the interrupt and the kill, at a time-out
};

class Context {
 public:
  // Starts the interpreter. kProgramNotFound when the sandbox has none; kExecutionFailed when it
  // ends again and again before it is ready; kCreateTimeout.
  static async::Task<Result<std::unique_ptr<Context>>> open(sandbox::Sandbox* sandbox,
                                                            ContextOptions options);
  // Finds the interpreter of a context whose host is gone. A run that was going on is ended; what
  // is known of the last run comes along. kNotFound when there is no such execution.
  struct Reattached;
  static async::Task<Result<Reattached>> reattach(sandbox::Sandbox* sandbox, std::uint64_t exec_id,
                                                  ContextOptions options);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Waits for its turn, then runs. What the code does, crashes included, is in the result; an Error
  // is Atoll's own: kTooLarge, kInvalidArgument, kResourceExhausted (too many wait), kCancelled
  // (closed), and what open() can say when the interpreter has to be started. Cancelling it
  // interrupts the code.
  async::Task<Result<RunResult>> run(RunRequest request);
  // SIGINT to the code that runs, or only if it is that of `place`, which will not begin if it has
  // not yet. False, and no error, when nothing runs.
  async::Task<Result<bool>> interrupt(std::shared_ptr<RunPlace> place = nullptr);
  // A fresh interpreter; a run that is going on ends as crashed, those that wait go on in the new
  // one.
  async::Task<Result<void>> restart();
  // The interpreter and its process group are gone when this returns. Runs end with kCancelled.
  async::Task<Result<void>> close();

  Language language() const { return options_.language; }
  bool running() const { return run_ != nullptr; }
  std::size_t waiting() const { return turns_.size() - (turns_.empty() ? 0 : 1); }
  // Of the interpreter at hand, for reattach(); 0 when there is none. A restart changes it.
  std::uint64_t exec_id() const;
  const std::string& version() const { return version_; }

 private:
  struct Run;
  class Turn;
  class Abandon;

  Context(async::Executor executor, sandbox::Sandbox* sandbox, ContextOptions options);
  bool alive() const;
  Result<void> check(const RunRequest& request) const;
  async::Task<Result<void>> make_ready(std::optional<Crash>* lost);
  async::Task<Result<void>> start();
  async::Task<Result<void>> start_once(bool from_zygote);
  async::Task<Result<void>> tidy_up();
  async::Task<Result<void>> follow(Run* run);
  async::Task<Result<void>> stop(Run* run);
  async::Task<Result<void>> end_interpreter(std::string why);
  async::Task<Result<void>> until_nobody_waits();
  async::Task<Result<void>> signal(int number);
  async::Task<void> insist(std::shared_ptr<RunPlace> place);
  async::Task<Result<void>> look_back(Run* last);
  void adopt(std::shared_ptr<Interpreter> interpreter);
  Result<RunResult> conclude(Run& run, std::optional<Crash> lost);

  sandbox::Sandbox* sandbox_;
  ContextOptions options_;
  async::TaskGroup tasks_;  // readers of interpreters
  std::shared_ptr<Interpreter> interpreter_;
  bool loss_told_ = true;        // somebody knows that the interpreter at hand has ended
  std::optional<Error> failed_;  // it cannot be started; restart() tries anew
  bool closed_ = false;
  int signalling_ = 0;      // signals on their way, which must not hit the next run
  Run* run_ = nullptr;      // the one at hand
  std::list<Turn*> turns_;  // who waits, in order; the first is at work
  std::string version_;
  async::Event changed_;  // turns_, closed_, signalling_
};

struct Context::Reattached {
  std::unique_ptr<Context> context;
  std::optional<RunResult> last;  // what the guest still had of it
};

}  // namespace atl::contexts
