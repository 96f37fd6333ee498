#include "contexts/interpreter.hpp"

#include <signal.h>
#include <string.h>

#include <algorithm>
#include <utility>

namespace atl::contexts {

using async::Task;
using sandbox::OutputStream;

namespace {

std::size_t weight(const RunEvent& event) {
  const CodeError& error = event.error;
  return sizeof(RunEvent) + event.bytes.size() + event.bundle.text().size() + error.ename.size() +
         error.evalue.size() + error.traceback.size();
}

std::string cause_of(const sandbox::ExitStatus& status) {
  if (status.oom) return "the interpreter was killed for lack of memory";
  if (status.signal != 0) {
    const char* name = ::sigabbrev_np(status.signal);
    return "the interpreter was ended by signal " + std::to_string(status.signal) +
           (name != nullptr ? " (SIG" + std::string(name) + ")" : "");
  }
  return "the interpreter ended itself with exit code " + std::to_string(status.exit_code);
}

std::unexpected<Error> broken(std::string what) { return fail(Code::kProtocol, std::move(what)); }

// 0 where the driver does not know it; a driver that was told to lie cannot make it overflow.
std::int64_t figure(const JsonObject& object, std::string_view name) {
  return std::clamp<std::int64_t>(object.integer(name).value_or(0), 0, std::int64_t{1} << 50);
}

}  // namespace

Interpreter::Interpreter(std::unique_ptr<sandbox::Process> process, bool attached)
    : process_(std::move(process)),
      reader_(attached),
      phase_(attached ? Phase::kRunning : Phase::kStarting),
      attached_(attached) {}

Task<void> Interpreter::read(std::shared_ptr<Interpreter> self) {
  bool understood = true;
  for (;;) {
    Result<sandbox::OutputChunk> chunk = co_await self->process_->read();
    if (!chunk) {
      self->lost_ = std::move(chunk).error();
      break;
    }
    if (chunk->stream == OutputStream::kEnd) break;
    self->bytes_read_ += chunk->bytes.size();
    if (understood) {
      Result<void> taken = self->take(std::move(*chunk));
      understood = taken.has_value();
      if (!understood) {
        // Nothing that it says from here on can be believed. The end of it is read all the same.
        self->abandoned_ = true;
        static_cast<void>(co_await self->kill("the context protocol was broken: " +
                                              std::move(taken).error().message()));
      }
    } else if (chunk->stream == OutputStream::kControl) {
      self->process_->acknowledge_control(chunk->bytes.size());
    }
    // The pipes were emptied up to here, and no program has been started since.
    if (std::exchange(self->settle_, false)) {
      static_cast<void>(co_await self->process_->write_stdin(std::string(kSettledMessage)));
    }
    while (self->crowded()) co_await self->room_.wait();
  }
  if (!self->lost_) {
    Result<sandbox::ExitStatus> status = co_await self->process_->wait();
    if (status) {
      self->ended(*status);
    } else {
      self->lost_ = std::move(status).error();
    }
  }
  self->phase_ = Phase::kEnded;
  self->changed_.notify_all();
}

void Interpreter::ended(const sandbox::ExitStatus& status) {
  crash_ = {.cause = killed_because_.empty() ? cause_of(status) : killed_because_,
            .exit_code = status.exit_code,
            .signal = status.signal,
            .oom = status.oom};
  count({status.cpu_user, status.cpu_system, status.max_rss_bytes});
}

void Interpreter::count(RunUsage total) {
  used_ = {
      .cpu_user = std::max(total.cpu_user - total_.cpu_user, std::chrono::microseconds(0)),
      .cpu_system = std::max(total.cpu_system - total_.cpu_system, std::chrono::microseconds(0)),
      .memory_peak_bytes = total.memory_peak_bytes};
  total_ = total;
}

Result<void> Interpreter::take(sandbox::OutputChunk chunk) {
  if (chunk.stream == OutputStream::kControl) return take_control(chunk.bytes);
  take_text(chunk.stream == OutputStream::kStdout ? EventKind::kStdout : EventKind::kStderr,
            std::move(chunk.bytes));
  return {};
}

Result<void> Interpreter::take_control(std::string_view bytes) {
  for (;;) {
    std::size_t before = bytes.size();
    ATOLL_TRY(std::optional<Message> message, reader_.next(bytes));
    unacknowledged_ += before - bytes.size();
    if (message) ATOLL_CHECK(take_message(std::move(*message)));
    acknowledge();
    if (!message) return {};
  }
}

void Interpreter::acknowledge() {
  if (hold_ && unacknowledged_ < kMaxHeld) return;
  // A reader that comes after a crash starts at a message; only large ones are cut.
  std::size_t keep = reader_.pending() < kMaxPartial ? reader_.pending() : 0;
  if (unacknowledged_ <= keep) return;
  process_->acknowledge_control(unacknowledged_ - keep);
  unacknowledged_ = keep;
}

Result<void> Interpreter::take_message(Message message) {
  if (phase_ == Phase::kStarting && message.word != Word::kReady) {
    return broken("it spoke before it was ready");
  }
  switch (message.word) {
    case Word::kStdout: take_text(EventKind::kStdout, std::move(message.body)); return {};
    case Word::kStderr: take_text(EventKind::kStderr, std::move(message.body)); return {};
    case Word::kReady: {
      Result<JsonObject> object = JsonObject::parse(std::move(message.body));
      if (!object) return broken("ready " + object.error().message());
      bool expected = phase_ == Phase::kStarting || std::exchange(attached_, false);
      if (!expected) return broken("it was ready twice");
      version_ = object->string("version").value_or("").substr(0, 64);
      problem_ = object->string("problem").value_or("").substr(0, 200);
      phase_ = Phase::kIdle;
      fresh_ = true;
      hold_ = true;
      changed_.notify_all();
      return {};
    }
    case Word::kResult:
    case Word::kDisplay: {
      bool is_result = message.word == Word::kResult;
      Result<Bundle> bundle = Bundle::parse(std::move(message.body));
      if (!bundle) return broken("a bundle " + bundle.error().message());
      if (!bundle->string("text/plain")) return broken("a bundle has no text/plain");
      push({.kind = is_result ? EventKind::kResult : EventKind::kDisplay,
            .bundle = std::move(*bundle)});
      return {};
    }
    case Word::kError: {
      Result<JsonObject> object = JsonObject::parse(std::move(message.body));
      if (!object) return broken("an error " + object.error().message());
      push({.kind = EventKind::kError,
            .error = {.ename = object->string("ename").value_or("Error"),
                      .evalue = object->string("evalue").value_or(""),
                      .traceback = object->string("traceback").value_or("")}});
      return {};
    }
    case Word::kDone: return take_done(std::move(message.body));
    case Word::kSettle:
      // Code that asks without reading the answers would fill the way to itself.
      settle_ = phase_ == Phase::kRunning && ++settled_ <= kMaxSettled;
      return {};
  }
  return {};
}

Result<void> Interpreter::take_done(std::string body) {
  Result<JsonObject> object = JsonObject::parse(std::move(body));
  if (!object) return broken("done " + object.error().message());
  std::optional<std::int64_t> code = object->integer("exit_code");
  if (!code || *code < 0 || *code > 255) return broken("done has no exit code");
  if (phase_ != Phase::kRunning) return broken("a run ended that was never begun");
  done_ = {.exit_code = static_cast<int>(*code),
           .execution_count = object->integer("execution_count").value_or(0)};
  count({std::chrono::microseconds(figure(*object, "cpu_user_us")),
         std::chrono::microseconds(figure(*object, "cpu_system_us")),
         static_cast<std::uint64_t>(figure(*object, "memory_peak_kb")) * 1024});
  phase_ = Phase::kIdle;
  attached_ = false;
  hold_ = true;
  changed_.notify_all();
  return {};
}

void Interpreter::take_text(EventKind kind, std::string bytes) {
  if (phase_ == Phase::kStarting) {
    complaint_ += bytes;
    if (complaint_.size() > kMaxComplaint) complaint_.erase(0, complaint_.size() - kMaxComplaint);
    return;
  }
  if (!bytes.empty()) push({.kind = kind, .bytes = std::move(bytes)});
}

void Interpreter::push(RunEvent event) {
  bool text = event.kind == EventKind::kStdout || event.kind == EventKind::kStderr;
  std::size_t size = weight(event);
  bool keep = phase_ == Phase::kRunning ? !abandoned_ : text && queued_ + size <= kMaxBetween;
  if (!keep) return;
  queued_ += size;
  queue_.push_back(std::move(event));
  changed_.notify_all();
}

Task<Result<void>> Interpreter::begin(std::string code) {
  phase_ = Phase::kRunning;
  fresh_ = false;
  abandoned_ = false;
  done_ = {};
  settled_ = 0;
  hold_ = false;
  acknowledge();
  process_->settle();
  co_return co_await process_->write_stdin(run_message(code));
}

Task<std::optional<RunEvent>> Interpreter::next() {
  for (;;) {
    if (!queue_.empty()) {
      RunEvent event = std::move(queue_.front());
      queue_.pop_front();
      queued_ -= weight(event);
      room_.notify_all();
      co_return event;
    }
    if (phase_ != Phase::kRunning) co_return std::nullopt;
    co_await changed_.wait();
  }
}

void Interpreter::abandon() {
  abandoned_ = true;
  queue_.clear();
  queued_ = 0;
  room_.notify_all();
}

Task<Result<void>> Interpreter::until(bool (*enough)(Phase phase)) {
  while (!enough(phase_)) co_await changed_.wait();
  co_return Result<void>();
}

Task<Result<void>> Interpreter::signal(int number) { return process_->signal(number); }

Task<Result<void>> Interpreter::kill(std::string why) {
  if (killed_because_.empty()) killed_because_ = std::move(why);
  return process_->signal(SIGKILL);
}

}  // namespace atl::contexts
