// Asio's view of a descriptor that somebody else owns: registered with the loop at the first wait,
// never closed here. Internal to async/.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>

#include "async/task.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::async {

class Watcher {
 public:
  using Descriptor = boost::asio::posix::basic_stream_descriptor<Executor>;

  explicit Watcher(const Executor& executor) : descriptor_(executor) {}
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() { release(); }

  Result<Descriptor*> on(const UniqueFd& fd) {
    if (!descriptor_.is_open()) {
      boost::system::error_code ec;
      descriptor_.assign(fd.get(), ec);
      if (ec) return fail_errno("watch descriptor", ec.value());
    }
    return &descriptor_;
  }
  // Pending waits end with operation_aborted.
  void cancel() {
    boost::system::error_code ignored;
    if (descriptor_.is_open()) descriptor_.cancel(ignored);
  }
  void release() {
    if (descriptor_.is_open()) static_cast<void>(descriptor_.release());
  }

 private:
  Descriptor descriptor_;
};

}  // namespace atl::async
