// How a context gets its interpreter: started, waited for, or found again.
#include <signal.h>

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "async/deadline.hpp"
#include "contexts/context_parts.hpp"

namespace atl::contexts {

using async::Task;
using Phase = Interpreter::Phase;

namespace {

constexpr int kTries = 3;
constexpr int kRounds = 64;

// The last line that says something: an interpreter's complaint about its own start.
std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::string_view line = text.substr(text.rfind('\n') + 1);
  return std::string(line.substr(0, 200));
}

Task<void> interrupt_quietly(std::shared_ptr<Interpreter> interpreter) {
  static_cast<void>(co_await interpreter->signal(SIGINT));
}

}  // namespace

Context::Abandon::~Abandon() {
  context_->run_ = nullptr;
  if (run_ == nullptr) return;
  run_->interpreter->abandon();
  context_->tasks_.spawn(interrupt_quietly(run_->interpreter));
}

void Context::adopt(std::shared_ptr<Interpreter> interpreter) {
  interpreter_ = std::move(interpreter);
  loss_told_ = false;
  tasks_.spawn(Interpreter::read(interpreter_));
}

// An idle interpreter, or an Error. `lost` is set when the one before ended unseen.
Task<Result<void>> Context::make_ready(std::optional<Crash>* lost) {
  if (failed_) co_return fail(*failed_);
  while (signalling_ > 0) co_await changed_.wait();
  ATOLL_CO_CHECK(co_await tidy_up());
  if (interpreter_ && interpreter_->phase() == Phase::kIdle) co_return Result<void>();
  if (interpreter_ && !loss_told_) {
    *lost = interpreter_->lost()
                ? Crash{.cause = "the interpreter was lost: " + interpreter_->lost()->message()}
                : interpreter_->crash();
  }
  ATOLL_CO_CHECK(co_await start());
  co_return Result<void>();
}

// Ends what a cancelled run left behind, and an interpreter that can be reached no more.
Task<Result<void>> Context::tidy_up() {
  if (!interpreter_) co_return Result<void>();
  std::shared_ptr<Interpreter> interpreter = interpreter_;
  auto stopped = [](Phase phase) { return phase == Phase::kIdle || phase == Phase::kEnded; };
  if (!stopped(interpreter->phase())) {
    Result<void> in_time = co_await async::with_deadline(
        interpreter->until(stopped), async::deadline_in(options_.grace), Code::kExecTimeout, "");
    if (!in_time) {
      ATOLL_CO_CHECK(co_await end_interpreter(
          "the interpreter did not stop after its run was cancelled and was killed"));
    }
  }
  if (interpreter_->phase() == Phase::kEnded && interpreter_->lost()) {
    Result<std::unique_ptr<sandbox::Process>> old =
        co_await sandbox_->attach(interpreter_->exec_id());
    if (old) static_cast<void>(co_await (*old)->signal(SIGKILL));
  }
  co_return Result<void>();
}

Task<Result<void>> Context::start() {
  for (int i = 1;; ++i) {
    // A zygote may have died since the sandbox was made: the next try does without.
    bool from_zygote = i == 1 && options_.zygote && sandbox_->status().has_zygote;
    Result<void> started = co_await start_once(from_zygote);
    bool died = !started && started.error().code() == Code::kExecutionFailed;
    if (!died) co_return started;
    if (i < kTries) continue;
    failed_ = Error(Code::kExecutionFailed, "the interpreter ended " + std::to_string(kTries) +
                                                " times before it was ready; " +
                                                started.error().message());
    co_return fail(*failed_);
  }
}

Task<Result<void>> Context::start_once(bool from_zygote) {
  sandbox::ExecRequest request = driver_request(options_.language, from_zygote);
  request.cwd = options_.cwd;
  for (const auto& [name, value] : options_.env) request.env.insert_or_assign(name, value);
  ATOLL_CO_TRY(std::unique_ptr<sandbox::Process> process,
               co_await sandbox_->spawn(std::move(request)));
  auto interpreter = std::make_shared<Interpreter>(std::move(process), false);
  adopt(interpreter);
  auto decided = [](Phase phase) { return phase != Phase::kStarting; };
  Result<void> ready = co_await async::with_deadline(
      interpreter->until(decided), async::deadline_in(options_.start_timeout), Code::kCreateTimeout,
      "the interpreter was not ready in time");
  if (!ready) {
    static_cast<void>(co_await end_interpreter("the interpreter was not ready in time"));
    loss_told_ = true;
    co_return ready;
  }
  if (interpreter->phase() == Phase::kEnded) {
    loss_told_ = true;
    if (closed_) co_return was_closed();
    if (interpreter->lost()) co_return fail(*interpreter->lost());
    std::string message = interpreter->crash().cause;
    std::string complaint = last_line(interpreter->complaint());
    if (!complaint.empty()) message += ": " + complaint;
    co_return fail(Code::kExecutionFailed, std::move(message));
  }
  if (!interpreter->problem().empty()) {
    static_cast<void>(co_await end_interpreter(interpreter->problem()));
    loss_told_ = true;
    co_return fail(Code::kUnsupported, interpreter->problem());
  }
  version_ = interpreter->version();
  co_return Result<void>();
}

// Takes what the guest still had for whoever was attached before. Each round asks the guest
// something behind it: an answer before which nothing came says that there is no more.
Task<Result<void>> Context::look_back(Run* last) {
  for (int round = 0; round < kRounds && interpreter_->phase() == Phase::kRunning; ++round) {
    std::uint64_t before = interpreter_->bytes_read();
    ATOLL_CO_TRY(std::vector<sandbox::ExecutionInfo> all, co_await sandbox_->executions());
    co_await async::yield_now();
    while (interpreter_->has_events()) {
      std::optional<RunEvent> event = co_await interpreter_->next();
      if (event) last->collector.take(std::move(*event));
      co_await async::yield_now();
    }
    if (interpreter_->bytes_read() == before) break;
  }
  co_return Result<void>();
}

Task<Result<Context::Reattached>> Context::reattach(sandbox::Sandbox* sandbox,
                                                    std::uint64_t exec_id, ContextOptions options) {
  async::Executor executor = co_await boost::asio::this_coro::executor;
  ATOLL_CO_TRY(std::unique_ptr<sandbox::Process> process, co_await sandbox->attach(exec_id));
  Reattached found{
      .context = std::unique_ptr<Context>(new Context(executor, sandbox, std::move(options)))};
  Context& context = *found.context;
  context.adopt(std::make_shared<Interpreter>(std::move(process), true));
  Run last({}, context.interpreter_);
  last.begun = true;
  ATOLL_CO_CHECK(co_await context.look_back(&last));
  if (context.interpreter_->phase() == Phase::kRunning) {
    last.result().interrupted = true;
    ATOLL_CO_CHECK(co_await context.stop(&last));
  } else {
    ATOLL_CO_CHECK(co_await context.follow(&last));
  }
  context.version_ = context.interpreter_->version();
  if (!context.interpreter_->fresh()) {
    ATOLL_CO_TRY(found.last, context.conclude(last, std::nullopt));
  }
  co_return found;
}

}  // namespace atl::contexts
