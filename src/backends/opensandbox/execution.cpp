#include "backends/opensandbox/execution.hpp"

#include <signal.h>

#include <cstdlib>
#include <utility>

#include "backends/opensandbox/script.hpp"

namespace atl::backends::opensandbox {

using async::Task;
using sandbox::ExitStatus;
using sandbox::OutputChunk;
using sandbox::OutputStream;

Task<void> Execution::follow(std::shared_ptr<Execution> self, http::ClientResponse stream) {
  std::vector<char> buffer(64 * 1024);
  while (!self->ended_) {
    Result<std::size_t> size = co_await stream.read_some(buffer);
    if (!size || *size == 0) {
      self->lose(Error(Code::kBackend, "the sandbox cut the stream of a running program"));
      co_return;
    }
    Result<std::vector<StreamEvent>> events = self->events_.feed({buffer.data(), *size});
    if (!events) {
      self->lose(std::move(events).error());
      co_return;
    }
    for (StreamEvent& event : *events) {
      if (self->take(std::move(event))) co_return;  // the server's end of the stream comes later
    }
    while (self->reader_ && self->buffered_ > kMaxBuffered && !self->ended_) {
      co_await self->changed_.wait();
    }
  }
}

bool Execution::take(StreamEvent event) {
  if (event.type == "stdout") put(OutputStream::kStdout, marks_.take_stdout(event.text));
  if (event.type == "stderr") put(OutputStream::kStderr, marks_.take_stderr(event.text));
  bool last = event.type == "execution_complete" || event.type == "error";
  if (last) finish(event);
  changed_.notify_all();
  return last;
}

void Execution::put(OutputStream stream, std::string bytes) {
  if (bytes.empty()) return;
  if (!reader_) {
    status_.truncated = true;
    return;
  }
  buffered_ += bytes.size();
  if (!chunks_.empty() && chunks_.back().stream == stream &&
      chunks_.back().bytes.size() < 64 * 1024) {
    chunks_.back().bytes += bytes;
  } else {
    chunks_.push_back({.stream = stream, .bytes = std::move(bytes)});
  }
}

// By the shell's own word where it had the last one. A shell that was killed itself is a group that
// was killed: by the time-out, or by whoever sent the signal.
void Execution::finish(const StreamEvent& event) {
  ended_ = true;
  status_.wall = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - began_);
  status_.cpu_user = marks_.cpu_user();
  status_.cpu_system = marks_.cpu_system();
  if (marks_.code()) {
    status_.exit_code = *marks_.code();
    bool by_signal = status_.exit_code > 128 && status_.exit_code <= 128 + SIGRTMAX;
    if (by_signal) status_.signal = status_.exit_code - 128;
    return;
  }
  if (event.type != "error") return;
  status_.timed_out = timeout_.count() > 0 && status_.wall >= timeout_;
  status_.signal = status_.timed_out || signal_sent_ == 0 ? SIGKILL : signal_sent_;
  status_.exit_code = 128 + status_.signal;
}

Task<Result<void>> Execution::started() {
  for (;;) {
    switch (marks_.start()) {
      case Marks::Start::kStarted: co_return Result<void>();
      case Marks::Start::kNoFolder:
        co_return fail(Code::kInvalidArgument, "the working folder cannot be entered");
      case Marks::Start::kNotFound:
        co_return fail(Code::kProgramNotFound, "there is no such program: " + command_);
      case Marks::Start::kNotExecutable:
        co_return fail(Code::kProgramNotExecutable, "not an executable program: " + command_);
      case Marks::Start::kWaiting: break;
    }
    if (lost_) co_return fail(*lost_);
    if (ended_) co_return fail(Code::kBackend, "the sandbox did not start the program");
    co_await changed_.wait();
  }
}

Task<Result<OutputChunk>> Execution::read() {
  while (chunks_.empty() && !ended_ && !lost_) co_await changed_.wait();
  if (!chunks_.empty()) {
    OutputChunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    buffered_ -= chunk.bytes.size();
    changed_.notify_all();
    co_return chunk;
  }
  if (lost_) co_return fail(*lost_);
  co_return OutputChunk{};
}

Task<Result<ExitStatus>> Execution::wait() {
  while (!ended_ && !lost_) co_await changed_.wait();
  if (lost_) co_return fail(*lost_);
  seen_ = true;
  co_return status_;
}

void Execution::set_reader(bool there) {
  reader_ = there;
  if (!there) {
    chunks_.clear();
    buffered_ = 0;
  }
  changed_.notify_all();
}

void Execution::lose(Error why) {
  if (ended_ || lost_) return;
  ended_ = true;
  seen_ = true;
  lost_ = std::move(why);
  changed_.notify_all();
}

namespace {

class RemoteProcess final : public sandbox::Process {
 public:
  RemoteProcess(std::shared_ptr<Execution> execution, std::shared_ptr<Execd> execd)
      : execution_(std::move(execution)), execd_(std::move(execd)) {
    execution_->set_reader(true);
  }
  ~RemoteProcess() override { execution_->set_reader(false); }

  std::uint64_t exec_id() const override { return execution_->id(); }
  int pid() const override { return execution_->pid(); }
  Task<Result<OutputChunk>> read() override { return execution_->read(); }
  Task<Result<ExitStatus>> wait() override { return execution_->wait(); }

  Task<Result<void>> write_stdin(std::string) override { return no_input(); }
  Task<Result<void>> close_stdin() override { return no_input(); }
  void acknowledge_control(std::size_t) override {}
  void settle() override {}
  Task<Result<void>> resize(sandbox::TerminalSize) override {
    co_return fail(Code::kInvalidArgument, "only terminals have a size");
  }

  Task<Result<void>> signal(int number) override {
    if (number < 1 || number > SIGRTMAX) {
      co_return fail(Code::kInvalidArgument, "there is no such signal");
    }
    if (execution_->ended()) co_return fail(Code::kNotFound, "the program has ended");
    int before = execution_->pid();
    execution_->signalled(number);
    ATOLL_CO_TRY(ShellResult sent,
                 co_await execd_->run("kill -" + std::to_string(number) + " -- -" +
                                      std::to_string(before) + " 2>/dev/null"));
    if (sent.code != 0) co_return fail(Code::kNotFound, "the program has ended");
    co_return Result<void>();
  }

 private:
  static Task<Result<void>> no_input() {
    co_return fail(Code::kUnsupported, "OpenSandbox gives running programs no input");
  }

  std::shared_ptr<Execution> execution_;
  std::shared_ptr<Execd> execd_;
};

}  // namespace

std::unique_ptr<sandbox::Process> make_process(std::shared_ptr<Execution> execution,
                                               std::shared_ptr<Execd> execd) {
  return std::make_unique<RemoteProcess>(std::move(execution), std::move(execd));
}

}  // namespace atl::backends::opensandbox
