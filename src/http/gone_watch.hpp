// Tells when clients close their connections, for all connections of a server by one epoll of its
// own: that needs no reader, and unread bytes do not hide the end. Internal to http/.
#pragma once

#include <memory>

#include "async/event.hpp"
#include "async/stream.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::http {

using async::Task;

class GoneWatch {
 public:
  // What one connection waits with; unwatch() before it dies.
  struct Entry {
    bool watched = false;
    bool gone = false;
    async::Event changed;
  };

  static Result<std::shared_ptr<GoneWatch>> make(async::Executor executor);
  // For ever; to be cancelled.
  static Task<void> run(std::shared_ptr<GoneWatch> self);

  void watch(const UniqueFd& fd, Entry& entry);
  void unwatch(const UniqueFd& fd, Entry& entry);

 private:
  explicit GoneWatch(async::Stream epoll) : epoll_(std::move(epoll)) {}

  async::Stream epoll_;
};

}  // namespace atl::http
