#include "node/pool.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

#include "async/deadline.hpp"
#include "async/join_by.hpp"
#include "base/fault.hpp"
#include "observe/log.hpp"

namespace atl::node {
namespace {

using async::Task;

constexpr std::chrono::milliseconds kSoon{100};  // what was seen of the memory holds so long
constexpr std::chrono::seconds kLook{1};         // between looks at the memory, while nobody asks
constexpr std::chrono::seconds kAnswer{5};       // a sandbox that takes longer is not well
constexpr std::chrono::milliseconds kRest{8};    // after a claim, for what it was made for
constexpr std::chrono::seconds kFinishing{10};   // at the server's end, what is being made
constexpr std::chrono::seconds kStopping{60};    // and what waits
constexpr std::uint32_t kMaxFailures = 5;  // in a row; then a template waits for the next look

// The disk is made with the sandbox. Where it sits in memory it must leave half of that free.
bool can_have(const model::Template& origin, const model::SessionConfig& config) {
  const model::TemplateResources& most = origin.spec.resources;
  if (config.resources.disk.value_or(most.disk) != most.disk) return false;
  bool in_memory = most.disk * 2 <= most.memory;
  return !in_memory || most.disk * 2 <= config.resources.memory.value_or(most.memory);
}

}  // namespace

double available_memory() {
  std::ifstream file("/proc/meminfo");
  double total = 0, available = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("MemTotal:")) total = std::strtod(line.c_str() + 9, nullptr);
    if (line.starts_with("MemAvailable:")) available = std::strtod(line.c_str() + 13, nullptr);
  }
  return total > 0 ? available / total : 1;
}

Pool::Pool(async::Executor executor, PoolMaker& maker, PoolSettings settings)
    : executor_(executor),
      maker_(maker),
      settings_(std::move(settings)),
      allowance_(settings_.per_second),
      tasks_(executor),
      preparing_(executor) {}

Pool::~Pool() = default;

void Pool::keep_ready(const std::vector<TemplatePtr>& templates) {
  templates_.clear();
  for (const TemplatePtr& one : templates) templates_[one->id] = one;
  wake_.notify_all();
  if (!started_ && !closing_) tasks_.spawn(run());
  started_ = true;
}

bool Pool::network_fits(const model::Template& origin, const model::SessionConfig& config) const {
  if (!config.allow_network && !config.network) return true;
  return maker_.can_open_network(origin, config);
}

SandboxPtr Pool::claim(const TemplatePtr& origin, const model::SessionConfig& config) {
  auto found = shelves_.find(origin->id);
  if (found == shelves_.end()) return nullptr;
  Shelf& shelf = found->second;
  bool limits = model::keeps_limits(*origin, config) ||
                (maker_.can_change_limits(*origin) && can_have(*origin, config));
  // A shelf is empty while a session waits: hand_over() comes first.
  bool fits = shelf.origin == origin && limits && network_fits(*origin, config);
  while (fits && !shelf.parked.empty()) {
    SandboxPtr sandbox = std::move(shelf.parked.front().sandbox);
    shelf.parked.pop_front();
    wake_.notify_all();
    if (!sandbox->is_running()) {
      stop_later(std::move(sandbox));
      continue;
    }
    ++shelf.hits;
    claimed_at_ = std::chrono::steady_clock::now();
    return sandbox;
  }
  if (origin->spec.pool > 0) ++shelf.misses;
  return nullptr;
}

Task<void> Pool::stop(SandboxPtr sandbox) {
  Result<void> stopped = co_await sandbox->stop();
  if (!stopped) log::warn("pool_stop_failed", log::kv("error", stopped.error().to_string()));
}

bool Pool::short_of_memory() {
  auto now = std::chrono::steady_clock::now();
  if (now - looked_at_ < kSoon) return short_;
  looked_at_ = now;
  return short_ = settings_.memory() * 100 < settings_.min_free_percent;
}

// As many at once as may be made in a second, if none was made for so long.
bool Pool::may_make() {
  auto now = std::chrono::steady_clock::now();
  double earned = std::chrono::duration<double>(now - counted_at_).count() * settings_.per_second;
  allowance_ = std::min<double>(allowance_ + earned, settings_.per_second);
  counted_at_ = now;
  if (allowance_ < 1) return false;
  allowance_ -= 1;
  return true;
}

// Shelves of templates that are gone or changed are emptied; all are halved, look by look, while
// memory is short.
void Pool::sort_out() {
  bool shrink = short_of_memory();
  for (auto& [id, shelf] : shelves_) {
    auto origin = templates_.find(id);
    // One that is there again under its old name is another one.
    if (origin == templates_.end() || origin->second != shelf.origin) shelf.origin = nullptr;
    std::size_t wanted = !shelf.origin ? 0
                         : shrink      ? shelf.parked.size() / 2
                                       : shelf.origin->spec.pool;
    while (shelf.parked.size() > wanted) {
      stop_later(std::move(shelf.parked.back().sandbox));
      shelf.parked.pop_back();
    }
  }
  std::erase_if(shelves_, [&](const auto& entry) {
    return entry.second.parked.empty() && !templates_.contains(entry.first);
  });
  for (const auto& [id, origin] : templates_) {
    Shelf& shelf = shelves_[id];
    if (shelf.origin != nullptr) continue;
    shelf.origin = origin;
    shelf.failures = 0;
    shelf.prepared = false;
    shelf.possible = maker_.check(*origin, {}).has_value();
  }
}

Pool::Shelf* Pool::emptiest() {
  Shelf* chosen = nullptr;
  double chosen_part = 1;
  std::size_t total = 0;
  for (const auto& [id, shelf] : shelves_) total += shelf.parked.size();
  if (total >= settings_.max_total) return nullptr;
  for (auto& [id, shelf] : shelves_) {
    std::uint32_t wanted = shelf.possible && shelf.origin ? shelf.origin->spec.pool : 0;
    if (wanted == 0 || shelf.parked.size() >= wanted || shelf.failures >= kMaxFailures) continue;
    if (shelf.preparing) continue;
    // One is being made for each session that waits, and what is left over comes here.
    if (waiting_.contains(shelf.origin)) continue;
    double part = static_cast<double>(shelf.parked.size()) / wanted;
    if (part < chosen_part) {
      chosen = &shelf;
      chosen_part = part;
    }
  }
  return chosen;
}

// To make a sandbox takes as much of the machine as what the last claim was for: that comes first,
// as long as half of the shelf is there for others.
bool Pool::lets_go_first(const Shelf& shelf) const {
  return shelf.parked.size() * 2 >= shelf.origin->spec.pool &&
         std::chrono::steady_clock::now() - claimed_at_ < kRest;
}

// May take long, if it is a template's modules that do: nobody else shall wait for them.
Task<void> Pool::prepare(TemplatePtr origin) {
  Result<void> ready = co_await maker_.prepare(origin);
  if (!ready) {
    log::warn("zygote_failed", log::kv("template_id", origin->id),
              log::kv("error", ready.error().to_string()));
  }
  auto shelf = shelves_.find(origin->id);
  if (shelf != shelves_.end()) shelf->second.preparing = false;
  wake_.notify_all();
}

Task<bool> Pool::fill_one() {
  Shelf* shelf = short_of_memory() ? nullptr : emptiest();
  if (shelf == nullptr || lets_go_first(*shelf) || !may_make()) co_return false;
  TemplatePtr origin = shelf->origin;
  if (!shelf->prepared) {
    shelf->prepared = shelf->preparing = true;
    preparing_.spawn(prepare(origin));
    co_return true;
  }
  fault::here("pool.making");
  Result<SandboxPtr> made = co_await maker_.make_new(SandboxId::make(), origin, {});
  fault::here("pool.made");
  if (!made) {
    ++shelf->failures;
    if (shelf->streak.failed(std::chrono::steady_clock::now())) {
      log::warn("pool_make_failed", log::kv("template_id", origin->id),
                log::kv("failures", shelf->streak.count()),
                log::kv("error", made.error().to_string()));
    }
    co_return true;
  }
  shelf->failures = 0;
  if (std::uint64_t failures = shelf->streak.end(); failures > 0) {
    log::info("pool_make_works", log::kv("template_id", origin->id), log::kv("failures", failures));
  }
  keep_or_stop(origin, std::move(*made));
  fault::here("pool.parked");
  co_return true;
}

Task<void> Pool::run() {
  while (!closing_) {
    sort_out();
    bool more = co_await fill_one();
    if (more) {
      // One at a time, and those who ask go first.
      co_await async::yield_now();
      continue;
    }
    // Who waits only for the rate, or for a moment of rest, goes on soon.
    Shelf* shelf = emptiest();
    std::chrono::milliseconds pause =
        shelf == nullptr || short_of_memory() ? std::chrono::milliseconds(kLook)
        : lets_go_first(*shelf)               ? kRest
                                : std::chrono::milliseconds(1000 / settings_.per_second + 1);
    Result<bool> woken = co_await async::with_deadline(woken_up(), async::deadline_in(pause),
                                                       Code::kCancelled, "nothing");
    (void)woken;
    if (std::chrono::steady_clock::now() - checked_at_ >= settings_.check_interval) {
      co_await check_health();
    }
  }
}

// Every one that waits is asked, all at once: none of them has anything to do.
Task<void> Pool::check_health() {
  checked_at_ = std::chrono::steady_clock::now();
  async::TaskGroup asking(executor_);
  for (auto& [id, shelf] : shelves_) {
    shelf.failures = 0;
    for (const Parked& one : shelf.parked) asking.spawn(check_one(id, one.sandbox));
  }
  co_await asking.wait_idle();
}

Task<void> Pool::check_one(std::string template_id, SandboxPtr sandbox) {
  auto answer = co_await async::with_deadline(sandbox->executions(), async::deadline_in(kAnswer),
                                              Code::kExecTimeout, "no answer");
  if (answer && sandbox->is_running()) co_return;
  auto shelf = shelves_.find(template_id);
  if (shelf == shelves_.end()) co_return;
  std::deque<Parked>& parked = shelf->second.parked;
  auto found = std::ranges::find(parked, sandbox, &Parked::sandbox);
  if (found == parked.end()) co_return;  // handed over meanwhile
  log::warn("pool_sandbox_unwell", log::kv("template_id", template_id),
            log::kv("sandbox_id", sandbox->id().str()));
  parked.erase(found);
  co_await stop(std::move(sandbox));
}

Task<Result<bool>> Pool::woken_up() {
  co_await wake_.wait();
  co_return true;
}

Task<void> Pool::shut_down() {
  // What is being made is finished first: cancelled half-way it would be nobody's.
  closing_ = true;
  wake_.notify_all();
  co_await preparing_.join();
  // A backend that does not answer is not waited for: the next server ends what is left there.
  co_await async::join_by(&tasks_, async::deadline_in(kFinishing));
  async::TaskGroup stopping(executor_);
  for (auto& [id, shelf] : shelves_) {
    for (Parked& one : shelf.parked) stopping.spawn(stop(std::move(one.sandbox)));
    shelf.parked.clear();
  }
  co_await async::join_by(&stopping, async::deadline_in(kStopping));
}

std::map<std::string, PoolFigures> Pool::figures() const {
  std::map<std::string, PoolFigures> all;
  for (const auto& [id, shelf] : shelves_) {
    all[id] = {.ready = shelf.parked.size(), .hits = shelf.hits, .misses = shelf.misses};
  }
  return all;
}

}  // namespace atl::node
