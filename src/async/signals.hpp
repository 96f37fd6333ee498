// Signals as something to await. They are blocked while this object lives, for this thread and for
// those it starts; a child made meanwhile inherits the mask and must reset it before execve.
#pragma once

#include <signal.h>

#include <initializer_list>
#include <memory>

#include "async/stream.hpp"
#include "async/task.hpp"
#include "base/result.hpp"

namespace atl::async {

class Signals {
 public:
  static Result<Signals> listen(Executor executor, std::initializer_list<int> numbers);
  Signals(Signals&&) noexcept = default;
  Signals& operator=(Signals&&) = delete;
  ~Signals();  // the old mask comes back, and with it signals that nobody took

  Task<Result<int>> next();
  void cancel() { stream_.cancel(); }

 private:
  struct Unblock {
    void operator()(sigset_t* old_mask) const;
  };
  Signals(Stream stream, std::unique_ptr<sigset_t, Unblock> old_mask)
      : old_mask_(std::move(old_mask)), stream_(std::move(stream)) {}

  std::unique_ptr<sigset_t, Unblock> old_mask_;
  Stream stream_;
};

}  // namespace atl::async
