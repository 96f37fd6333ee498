// Sandboxes made before anyone asked, a few per template. Handing one over is a move; new ones are
// made in the background, one at a time, so that a burst is not slowed down by its own successors.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/event.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "model/template.hpp"
#include "observe/failure_streak.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::node {

using SandboxPtr = std::shared_ptr<sandbox::Sandbox>;
using model::TemplatePtr;

// The part of this machine's memory that programs could still have, from 0 to 1.
double available_memory();

struct PoolSettings {
  std::uint32_t max_total = 64;         // of all templates together
  std::uint32_t per_second = 1000;      // made at most
  std::uint32_t min_free_percent = 10;  // of the memory; below, the pool shrinks
  std::chrono::milliseconds check_interval{30'000};
  std::function<double()> memory = &available_memory;
};

struct PoolFigures {
  std::uint64_t ready = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
};

// Makes the sandboxes of a pool.
class PoolMaker {
 public:
  virtual ~PoolMaker() = default;
  virtual Result<void> check(const model::Template& origin,
                             const model::SessionConfig& config) const = 0;
  // Whether the limits of a sandbox that waited can become those that a session wants.
  virtual bool can_change_limits(const model::Template& origin) const = 0;
  // Whether one that waited can get the network of this session when it is handed over.
  virtual bool can_open_network(const model::Template&, const model::SessionConfig&) const {
    return false;
  }
  // Prepares what every sandbox of the template needs: packages, zygotes.
  virtual async::Task<Result<void>> prepare(TemplatePtr origin) = 0;
  virtual async::Task<Result<SandboxPtr>> make_new(SandboxId id, TemplatePtr origin,
                                                   model::SessionConfig config) = 0;
};

class Pool {
 public:
  Pool(async::Executor executor, PoolMaker& maker, PoolSettings settings);
  ~Pool();

  // Null when there is none that fits. One that does may still have the template's limits: where
  // the session's are others, the caller changes them. The environment is given to each program, so
  // any fits.
  SandboxPtr claim(const TemplatePtr& origin, const model::SessionConfig& config);
  // For a session that claim() has nothing for. One is made for it; but whatever sandbox of this
  // template gets ready next, for the pool or not, goes to the session that has waited longest.
  // Where nothing of the pool fits, exactly this one is made, with `id`.
  async::Task<Result<SandboxPtr>> next(SandboxId id, TemplatePtr origin,
                                       model::SessionConfig config);
  // Keeps shelves of these templates full until shut_down(): fills, drains those of changed or
  // removed templates, looks after the health of what waits, and shrinks when the machine runs out
  // of memory.
  void keep_ready(const std::vector<TemplatePtr>& templates);
  void stop_later(SandboxPtr sandbox) { tasks_.spawn(stop(std::move(sandbox))); }
  async::Task<void> shut_down();                       // stops what waits
  std::map<std::string, PoolFigures> figures() const;  // by template

 private:
  struct Parked {
    SandboxPtr sandbox;
  };
  struct Shelf {
    TemplatePtr origin;  // null: removed
    std::deque<Parked> parked;
    std::uint64_t hits = 0, misses = 0;
    std::uint32_t failures = 0;  // in a row
    log::FailureStreak streak;   // the same, for the log
    bool prepared = false;
    bool preparing = false;  // meanwhile others are made
    bool possible = true;    // somebody here can make it
  };

  // A session that waits for a sandbox.
  struct Turn {
    std::optional<Result<SandboxPtr>> outcome;
    async::Event ready;
  };

  // Whether one that was made for nobody can have the network of this session.
  bool network_fits(const model::Template& origin, const model::SessionConfig& config) const;
  async::Task<void> run();
  async::Task<void> make_for_next(TemplatePtr origin);
  // To the session that has waited longest; false when none waits.
  bool hand_over(const TemplatePtr& origin, Result<SandboxPtr> made);
  void keep_or_stop(const TemplatePtr& origin, SandboxPtr sandbox);
  async::Task<void> prepare(TemplatePtr origin);
  void sort_out();
  bool short_of_memory();
  bool may_make();  // the bounded rate
  bool lets_go_first(const Shelf& shelf) const;
  Shelf* emptiest();
  async::Task<bool> fill_one();  // false: nothing to do now
  async::Task<void> check_health();
  async::Task<void> check_one(std::string template_id, SandboxPtr sandbox);
  async::Task<Result<bool>> woken_up();
  static async::Task<void> stop(SandboxPtr sandbox);

  async::Executor executor_;
  std::map<std::string, TemplatePtr> templates_;  // that are to be kept ready
  PoolMaker& maker_;
  std::map<std::string, Shelf> shelves_;
  std::map<TemplatePtr, std::list<Turn*>> waiting_;  // the longest waiting first
  async::Event wake_;
  std::chrono::steady_clock::time_point claimed_at_{};
  PoolSettings settings_;
  double allowance_;  // sandboxes that may be made at once
  std::chrono::steady_clock::time_point counted_at_ = std::chrono::steady_clock::now();
  bool short_ = false;  // of memory, when last looked at
  std::chrono::steady_clock::time_point looked_at_{};
  std::chrono::steady_clock::time_point checked_at_ = std::chrono::steady_clock::now();
  bool started_ = false;
  bool closing_ = false;
  async::TaskGroup tasks_;
  async::TaskGroup preparing_;  // zygotes, which are not this pool's and may be left alone
};

}  // namespace atl::node
