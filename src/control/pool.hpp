// Sandboxes made before anyone asked, a few per template. Handing one over is a move; new ones are
// made in the background, one at a time, so that a burst is not slowed down by its own successors.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "async/event.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "control/node.hpp"
#include "control/templates.hpp"

namespace atl::control {

struct PoolFigures {
  std::uint64_t ready = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
};

class Pool {
 public:
  Pool(async::Executor executor, Templates& templates, Node& node);
  ~Pool();

  // Null when there is none that fits: another limit or network than the template's does not.
  SandboxPtr claim(const TemplatePtr& recipe, const model::SessionConfig& config);
  // Keeps the shelves full until shut_down(): fills, drains those of changed or removed templates,
  // looks after the health of what waits, and shrinks when the machine runs out of memory.
  void start() { tasks_.spawn(run()); }
  void changed() { wake_.notify_all(); }  // a template was changed
  bool full() const;
  async::Task<void> wait_full();
  async::Task<void> shut_down();                       // stops what waits
  std::map<std::string, PoolFigures> figures() const;  // by template
  bool is_parked(const SandboxId& id) const;

 private:
  struct Parked {
    SandboxPtr sandbox;
  };
  struct Shelf {
    TemplatePtr recipe;  // null: removed
    std::deque<Parked> parked;
    std::uint64_t hits = 0, misses = 0;
    std::uint32_t failures = 0;  // in a row
    bool prepared = false;
  };

  async::Task<void> run();
  void sort_out();
  Shelf* emptiest();
  async::Task<bool> fill_one();  // false: nothing to do
  async::Task<Result<bool>> woken_up();
  async::Task<void> stop_later(SandboxPtr sandbox);

  async::Executor executor_;
  Templates& templates_;
  Node& node_;
  std::map<std::string, Shelf> shelves_;
  async::Event wake_;
  async::Event filled_;
  bool closing_ = false;
  async::TaskGroup tasks_;
};

}  // namespace atl::control
