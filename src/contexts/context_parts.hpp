// What the files of Context share. Internal to them.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "contexts/collector.hpp"
#include "contexts/context.hpp"

namespace atl::contexts {

// How long something may take that is a matter of microseconds.
inline constexpr std::chrono::seconds kPatience{10};

// One run at work.
struct Context::Run {
  Run(RunRequest what, std::shared_ptr<Interpreter> where)
      : request(std::move(what)),
        interpreter(std::move(where)),
        collector(request.max_output_bytes) {}
  RunResult& result() { return collector.result(); }

  RunRequest request;
  std::shared_ptr<Interpreter> interpreter;
  Collector collector;
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  bool begun = false;
  bool unsent = false;   // the interpreter was gone before it had the code
  bool telling = false;  // on_event has not returned yet
};

// A place in the queue, left on every way out.
class Context::Turn {
 public:
  Turn(Context* context, std::list<Turn*>::iterator before)
      : context_(context), place_(context->turns_.insert(before, this)) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    context_->turns_.erase(place_);
    context_->changed_.notify_all();
  }
  bool mine() const { return context_->turns_.front() == this; }

 private:
  Context* context_;
  std::list<Turn*>::iterator place_;
};

// A run whose caller was cancelled must not go on unseen: its code is interrupted, and the next run
// sees to it that it has stopped.
class Context::Abandon {
 public:
  Abandon(Context* context, Run* run) : context_(context), run_(run) { context_->run_ = run; }
  Abandon(const Abandon&) = delete;
  Abandon& operator=(const Abandon&) = delete;
  ~Abandon();
  void cancel() { run_ = nullptr; }

 private:
  Context* context_;
  Run* run_;
};

std::unexpected<Error> was_closed();

}  // namespace atl::contexts
