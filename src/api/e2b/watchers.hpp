// Watches that clients ask for by polling: each collects changes of a folder until somebody takes
// them. Bounded in number and in what they hold. On the I/O thread.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "control/stream.hpp"
#include "model/file.hpp"

namespace atl::api::e2b {

class Watchers {
 public:
  static constexpr std::size_t kMostOfSandbox = 64;
  static constexpr std::size_t kMostChanges = 10'000;  // what is beyond is dropped

  using Changes = control::Stream<model::FileChange>;
  struct Watcher {
    SessionId sandbox;
    std::string folder;  // as control shows it
    bool with_entry = false;
    std::string asked;  // as the client named the folder
    std::deque<model::FileChange> changes;
    std::optional<Error> failed;
  };

  explicit Watchers(async::Executor executor) : tasks_(std::move(executor)) {}

  // kResourceExhausted when the sandbox has too many.
  Result<std::string> add(Watcher watcher, std::unique_ptr<Changes> changes);
  // kNotFound, also for those of other sandboxes.
  Result<std::shared_ptr<Watcher>> find(const SessionId& sandbox, const std::string& id) const;
  Result<void> remove(const SessionId& sandbox, const std::string& id);

 private:
  using WatcherPtr = std::shared_ptr<Watcher>;
  static async::Task<void> collect(std::weak_ptr<Watcher> watcher,
                                   std::unique_ptr<Changes> changes);

  std::map<std::string, WatcherPtr> watchers_;
  async::TaskGroup tasks_;
};

}  // namespace atl::api::e2b
