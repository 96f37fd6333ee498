#include "contexts/context.hpp"

#include <signal.h>

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "async/deadline.hpp"
#include "contexts/context_parts.hpp"

namespace atl::contexts {

using async::Task;
using Phase = Interpreter::Phase;

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kInsist{500};
constexpr milliseconds kNudges[] = {milliseconds(50), milliseconds(200), milliseconds(1'000),
                                    milliseconds(5'000)};

std::unexpected<Error> was_given_up() {
  return fail(Code::kCancelled, "it was cancelled before it began");
}

}  // namespace

std::unexpected<Error> was_closed() { return fail(Code::kCancelled, "the context was closed"); }

Context::Context(async::Executor executor, sandbox::Sandbox* sandbox, ContextOptions options)
    : sandbox_(sandbox), options_(std::move(options)), tasks_(std::move(executor)) {}

Task<Result<std::unique_ptr<Context>>> Context::open(sandbox::Sandbox* sandbox,
                                                     ContextOptions options) {
  async::Executor executor = co_await boost::asio::this_coro::executor;
  std::unique_ptr<Context> context(new Context(executor, sandbox, std::move(options)));
  ATOLL_CO_CHECK(co_await context->start());
  co_return context;
}

std::uint64_t Context::exec_id() const { return alive() ? interpreter_->exec_id() : 0; }

bool Context::alive() const { return interpreter_ && interpreter_->phase() != Phase::kEnded; }

Result<void> Context::check(const RunRequest& request) const {
  if (closed_) return was_closed();
  if (request.code.size() > kMaxCode) {
    return fail(Code::kTooLarge, "the code is larger than 8 MiB");
  }
  if (options_.language == Language::kBash && request.code.find('\0') != std::string::npos) {
    return fail(Code::kInvalidArgument, "the code holds a NUL byte, which bash cannot read");
  }
  if (request.timeout.count() < 0) {
    return fail(Code::kInvalidArgument, "the time-out is negative");
  }
  if (turns_.size() > kMaxWaiting) {
    return fail(Code::kResourceExhausted, "too many runs wait in this context already");
  }
  return {};
}

Task<Result<RunResult>> Context::run(RunRequest request) {
  ATOLL_CO_CHECK(check(request));
  Turn turn(this, turns_.end());
  std::shared_ptr<RunPlace> place = request.place;
  while (!turn.mine() && !place->given_up) co_await changed_.wait();
  if (closed_) co_return was_closed();
  if (place->given_up) co_return was_given_up();
  std::optional<Crash> lost;
  ATOLL_CO_CHECK(co_await make_ready(&lost));
  if (place->given_up) co_return was_given_up();
  place->begun = true;

  Run run(std::move(request), interpreter_);
  Abandon abandon(this, &run);
  async::Deadline deadline = run.request.timeout.count() == 0
                                 ? async::kNoDeadline
                                 : async::deadline_in(run.request.timeout);
  Result<void> followed =
      co_await async::with_deadline(follow(&run), deadline, Code::kExecTimeout, "time-out");
  if (followed && run.unsent && !closed_) {
    // The interpreter had ended before it was given the code, and nobody had noticed.
    ATOLL_CO_CHECK(co_await make_ready(&lost));
    run.interpreter = interpreter_;
    run.begun = run.unsent = false;
    followed =
        co_await async::with_deadline(follow(&run), deadline, Code::kExecTimeout, "time-out");
  }
  if (!followed) {
    run.result().timed_out = true;
    ATOLL_CO_CHECK(co_await stop(&run));
  }
  abandon.cancel();
  place->over = true;
  co_return conclude(run, std::move(lost));
}

// Until the run is over; may be cancelled and called again. Only a time-out makes it fail.
Task<Result<void>> Context::follow(Run* run) {
  if (!std::exchange(run->begun, true)) {
    Result<void> sent = co_await run->interpreter->begin(run->request.code);
    run->unsent = !sent;
  }
  for (;;) {
    std::optional<RunEvent> event = co_await run->interpreter->next();
    if (!event) co_return Result<void>();
    OnEvent& tell = run->request.on_event;
    if (tell) {
      run->telling = true;
      Result<void> told = co_await tell(&*event);
      run->telling = false;
      if (!told) tell = nullptr;
    }
    run->collector.take(std::move(*event));
  }
}

// Its time is up.
Task<Result<void>> Context::stop(Run* run) {
  // Whoever has not taken an event until now will not take the next either.
  if (std::exchange(run->telling, false)) run->request.on_event = nullptr;
  // Twice: the first may come before the code has begun, and is ignored then.
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(co_await signal(SIGINT));
    Result<void> stopped = co_await async::with_deadline(
        follow(run), async::deadline_in(options_.grace / 2), Code::kExecTimeout, "still running");
    if (stopped) co_return stopped;
    if (std::exchange(run->telling, false)) run->request.on_event = nullptr;
  }
  static_cast<void>(co_await async::with_deadline(
      run->interpreter->kill("the interpreter did not stop when interrupted and was killed"),
      async::deadline_in(kPatience), Code::kBackend, ""));
  co_return co_await async::with_deadline(follow(run), async::deadline_in(kPatience),
                                          Code::kBackend, "the interpreter could not be ended");
}

Result<RunResult> Context::conclude(Run& run, std::optional<Crash> lost) {
  if (closed_) return was_closed();
  RunResult result = std::move(run.result());
  result.duration = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - run.began);
  result.restarted = lost.has_value();
  result.lost = std::move(lost);
  result.usage = run.interpreter->usage();
  if (run.interpreter->phase() != Phase::kEnded) {
    result.exit_code = run.interpreter->done().exit_code;
    result.execution_count = run.interpreter->done().execution_count;
    return result;
  }
  if (run.interpreter->lost()) return fail(*run.interpreter->lost());
  loss_told_ = true;
  result.restarted = true;
  result.crashed = run.interpreter->crash();
  result.exit_code = result.crashed->exit_code;
  return result;
}

Task<Result<bool>> Context::interrupt(std::shared_ptr<RunPlace> place) {
  if (place && !place->begun) {
    place->given_up = true;
    changed_.notify_all();
    co_return true;
  }
  bool is_another = place && (run_ == nullptr || run_->request.place != place);
  if (run_ == nullptr || is_another || !alive()) co_return false;
  run_->result().interrupted = true;
  tasks_.spawn(insist(run_->request.place));
  Result<void> sent = co_await signal(SIGINT);
  if (!sent && sent.error().code() == Code::kNotFound) co_return false;
  if (!sent) co_return fail(std::move(sent).error());
  co_return true;
}

// A shell that is just starting a program waits for it, and that one has not seen the signal. And
// Python that is on its way into a system call looks for signals only when it is back: another one,
// which means nothing to it, wakes it.
Task<void> Context::insist(std::shared_ptr<RunPlace> place) {
  auto goes_on = [&] { return run_ != nullptr && run_->request.place == place && alive(); };
  if (options_.language == Language::kBash) {
    co_await async::sleep_for(kInsist);
    if (goes_on()) (void)co_await signal(SIGINT);
  }
  if (options_.language != Language::kPython) co_return;
  for (milliseconds pause : kNudges) {
    co_await async::sleep_for(pause);
    if (!goes_on()) co_return;
    (void)co_await signal(SIGURG);
  }
}

Task<Result<void>> Context::signal(int number) {
  ++signalling_;
  // Held by this call: the context may get another one meanwhile.
  std::shared_ptr<Interpreter> interpreter = interpreter_;
  Result<void> sent =
      co_await async::with_deadline(interpreter->signal(number), async::deadline_in(kPatience),
                                    Code::kBackend, "the sandbox did not answer in time");
  --signalling_;
  changed_.notify_all();
  co_return sent;
}

Task<Result<void>> Context::restart() {
  if (closed_) co_return was_closed();
  // Right behind the run at hand, which ends now.
  Turn turn(this, turns_.empty() ? turns_.end() : std::next(turns_.begin()));
  if (alive()) ATOLL_CO_CHECK(co_await end_interpreter("the context was restarted"));
  while (!turn.mine()) co_await changed_.wait();
  if (closed_) co_return was_closed();
  loss_told_ = true;
  failed_.reset();
  co_return co_await start();
}

Task<Result<void>> Context::close() {
  if (std::exchange(closed_, true)) co_return Result<void>();
  changed_.notify_all();
  if (alive()) {
    interpreter_->abandon();
    ATOLL_CO_CHECK(co_await end_interpreter("the context was closed"));
  }
  // A run may have been about to start another one.
  static_cast<void>(co_await async::with_deadline(
      until_nobody_waits(), async::deadline_in(kPatience), Code::kBackend, ""));
  if (alive()) co_return co_await end_interpreter("the context was closed");
  co_return Result<void>();
}

Task<Result<void>> Context::until_nobody_waits() {
  while (!turns_.empty()) co_await changed_.wait();
  co_return Result<void>();
}

Task<Result<void>> Context::end_interpreter(std::string why) {
  std::shared_ptr<Interpreter> interpreter = interpreter_;
  static_cast<void>(co_await interpreter->close_input());
  // The whole group at once: when its leader has ended, nobody can name the others any more.
  static_cast<void>(co_await async::with_deadline(
      interpreter->kill(std::move(why)), async::deadline_in(kPatience), Code::kBackend, ""));
  auto ended = [](Phase phase) { return phase == Phase::kEnded; };
  co_return co_await async::with_deadline(interpreter->until(ended), async::deadline_in(kPatience),
                                          Code::kBackend, "the interpreter could not be ended");
}

}  // namespace atl::contexts
