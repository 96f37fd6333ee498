// What a stream without end does while nothing happens: says something now and then, so that it is
// noticed when the client is gone, and ends when the server is about to stop.
#pragma once

#include <chrono>

#include "api/common/limits.hpp"
#include "api/rest/rest.hpp"
#include "async/deadline.hpp"

namespace atl::api::rest {

class Pulse {
 public:
  enum class Beat { kNothing, kComment, kEnd };

  explicit Pulse(const RestOptions& options) : options_(options) {}

  // How long to wait for what is streamed.
  async::Deadline next() const { return async::deadline_in(kStep); }
  // That time passed without anything.
  Beat beat() {
    if (options_.draining && options_.draining()) return Beat::kEnd;
    silent_ += kStep;
    if (silent_ < kKeepAlive) return Beat::kNothing;
    silent_ = {};
    return Beat::kComment;
  }
  void said_something() { silent_ = {}; }

 private:
  static constexpr std::chrono::milliseconds kStep{500};
  const RestOptions& options_;
  std::chrono::milliseconds silent_{0};
};

}  // namespace atl::api::rest
