#include "control/pool.hpp"

#include <sys/sysinfo.h>

#include <algorithm>
#include <utility>

#include "async/deadline.hpp"
#include "base/fault.hpp"
#include "observe/log.hpp"

namespace atl::control {
namespace {

using async::Task;

constexpr std::chrono::seconds kLook{5};   // between looks at the health of what waits
constexpr std::uint32_t kMaxFailures = 5;  // in a row; then a template waits for the next look

bool same_limits(const model::Template& recipe, const model::SessionConfig& config) {
  const model::TemplateResources& most = recipe.spec.resources;
  const model::Resources& asked = config.resources;
  return asked.cpu.value_or(most.cpu) == most.cpu &&
         asked.memory.value_or(most.memory) == most.memory &&
         asked.disk.value_or(most.disk) == most.disk && asked.pids.value_or(most.pids) == most.pids;
}

bool short_of_memory() {
  struct sysinfo info{};
  if (::sysinfo(&info) != 0) return false;
  return (info.freeram + info.bufferram) * 50 < info.totalram;  // page cache not counted: 2 %
}

}  // namespace

Pool::Pool(async::Executor executor, Templates& templates, Node& node)
    : executor_(executor), templates_(templates), node_(node), tasks_(executor) {}

Pool::~Pool() = default;

SandboxPtr Pool::claim(const TemplatePtr& recipe, const model::SessionConfig& config) {
  auto found = shelves_.find(recipe->id);
  if (found == shelves_.end()) return nullptr;
  Shelf& shelf = found->second;
  bool fits = shelf.recipe == recipe && same_limits(*recipe, config) &&
              config.allow_network == recipe->spec.security.allow_network;
  while (fits && !shelf.parked.empty()) {
    SandboxPtr sandbox = std::move(shelf.parked.front().sandbox);
    shelf.parked.pop_front();
    wake_.notify_all();
    if (!sandbox->is_running()) {
      tasks_.spawn(stop_later(std::move(sandbox)));
      continue;
    }
    ++shelf.hits;
    return sandbox;
  }
  ++shelf.misses;
  return nullptr;
}

Task<void> Pool::stop_later(SandboxPtr sandbox) {
  Result<void> stopped = co_await sandbox->stop();
  if (!stopped) log::warn("pool_stop_failed", log::kv("error", stopped.error().to_string()));
}

// Shelves of templates that are gone or changed are emptied.
void Pool::sort_out() {
  for (auto& [id, shelf] : shelves_) {
    Result<TemplatePtr> recipe = templates_.find(id);
    // One that is there again under its old name is another one.
    if (!recipe || *recipe != shelf.recipe) shelf.recipe = nullptr;
    std::size_t wanted = !shelf.recipe ? 0 : short_of_memory() ? 1 : shelf.recipe->spec.pool;
    while (shelf.parked.size() > wanted) {
      tasks_.spawn(stop_later(std::move(shelf.parked.back().sandbox)));
      shelf.parked.pop_back();
    }
  }
  for (const TemplatePtr& recipe : templates_.list()) {
    Shelf& shelf = shelves_[recipe->id];
    if (shelf.recipe != nullptr) continue;
    shelf.recipe = recipe;
    shelf.failures = 0;
    shelf.prepared = false;
  }
}

Pool::Shelf* Pool::emptiest() {
  Shelf* chosen = nullptr;
  double chosen_part = 1;
  for (auto& [id, shelf] : shelves_) {
    std::uint32_t wanted = shelf.recipe == nullptr ? 0 : shelf.recipe->spec.pool;
    if (wanted == 0 || shelf.parked.size() >= wanted || shelf.failures >= kMaxFailures) continue;
    double part = static_cast<double>(shelf.parked.size()) / wanted;
    if (part < chosen_part) {
      chosen = &shelf;
      chosen_part = part;
    }
  }
  return chosen;
}

Task<bool> Pool::fill_one() {
  Shelf* shelf = short_of_memory() ? nullptr : emptiest();
  if (shelf == nullptr) co_return false;
  TemplatePtr recipe = shelf->recipe;
  if (!shelf->prepared) {
    shelf->prepared = true;
    Result<void> ready = co_await node_.prepare(recipe);
    if (!ready) log::warn("zygote_failed", log::kv("error", ready.error().to_string()));
  }
  fault::here("pool.making");
  Result<SandboxPtr> made = co_await node_.make(SandboxId::make(), recipe, {});
  fault::here("pool.made");
  if (!made) {
    ++shelf->failures;
    log::warn("pool_make_failed", log::kv("template_id", recipe->id),
              log::kv("error", made.error().to_string()));
    co_return true;
  }
  shelf->failures = 0;
  if (closing_ || shelf->recipe != recipe) {
    tasks_.spawn(stop_later(std::move(*made)));
    co_return true;
  }
  shelf->parked.push_back({std::move(*made)});
  fault::here("pool.parked");
  filled_.notify_all();
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
    Result<bool> woken = co_await async::with_deadline(woken_up(), async::deadline_in(kLook),
                                                       Code::kCancelled, "nothing");
    if (woken) continue;
    for (auto& [id, shelf] : shelves_) {
      shelf.failures = 0;
      std::erase_if(shelf.parked, [this](const Parked& one) {
        if (one.sandbox->is_running()) return false;
        tasks_.spawn(stop_later(one.sandbox));  // for what is left of it
        return true;
      });
    }
  }
}

Task<Result<bool>> Pool::woken_up() {
  co_await wake_.wait();
  co_return true;
}

bool Pool::full() const {
  return std::ranges::all_of(shelves_, [](const auto& entry) {
    const Shelf& shelf = entry.second;
    return shelf.recipe == nullptr || shelf.failures > 0 ||
           shelf.parked.size() >= shelf.recipe->spec.pool;
  });
}

Task<void> Pool::wait_full() {
  while (!full()) co_await filled_.wait();
}

Task<void> Pool::shut_down() {
  // What is being made is finished first: cancelled half-way it would be nobody's.
  closing_ = true;
  wake_.notify_all();
  co_await tasks_.wait_idle();
  for (auto& [id, shelf] : shelves_) {
    for (Parked& one : shelf.parked) tasks_.spawn(stop_later(std::move(one.sandbox)));
    shelf.parked.clear();
  }
  co_await tasks_.wait_idle();
}

std::map<std::string, PoolFigures> Pool::figures() const {
  std::map<std::string, PoolFigures> all;
  for (const auto& [id, shelf] : shelves_) {
    all[id] = {.ready = shelf.parked.size(), .hits = shelf.hits, .misses = shelf.misses};
  }
  return all;
}

bool Pool::is_parked(const SandboxId& id) const {
  return std::ranges::any_of(shelves_, [&](const auto& entry) {
    return std::ranges::any_of(entry.second.parked,
                               [&](const Parked& one) { return one.sandbox->id() == id; });
  });
}

}  // namespace atl::control
