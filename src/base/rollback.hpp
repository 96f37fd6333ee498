// Undo steps of a set-up in several steps: the destructor runs them last to first unless
// release()d. Undo lambdas own copies of what they need: locals die before the Rollback does.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace atl {

class Rollback {
 public:
  Rollback() = default;
  Rollback(const Rollback&) = delete;
  Rollback& operator=(const Rollback&) = delete;
  ~Rollback() {
    while (!steps_.empty()) {
      steps_.back()();
      steps_.pop_back();
    }
  }

  void add(std::function<void()> undo) { steps_.push_back(std::move(undo)); }
  void release() noexcept { steps_.clear(); }

 private:
  std::vector<std::function<void()>> steps_;
};

}  // namespace atl
