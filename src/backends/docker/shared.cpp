#include "backends/docker/shared.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "async/deadline.hpp"
#include "codec/json.hpp"
#include "http/uri.hpp"

namespace atl::backends::docker {

using async::Task;
using http::Method;
using namespace std::chrono_literals;

namespace {

constexpr int kRemoveAttempts = 3;
constexpr std::chrono::milliseconds kFirstPause = 500ms;
constexpr std::chrono::milliseconds kLongestPause = 10s;

// The ids of all containers that carry a sandbox's labels: these stay when somebody renames one.
Task<Result<std::vector<std::string>>> labelled(std::shared_ptr<Shared> shared, SandboxId id) {
  std::string filters = codec::serialize(
      {{"label", {kInstanceLabel + ("=" + shared->instance), kSandboxLabel + ("=" + id.str())}}});
  ATOLL_CO_TRY(Json found,
               co_await shared->engine.call(Method::kGet, "/containers/json?all=1&filters=" +
                                                              http::percent_encode(filters)));
  std::vector<std::string> ids;
  if (!found.is_array()) co_return ids;
  for (const Json& one : found.get_array()) ids.push_back(text_at(one, "/Id"));
  co_return ids;
}

Task<Result<void>> remove_one(std::shared_ptr<Shared> shared, std::string name) {
  std::string target = "/containers/" + name + "?force=1&v=1";
  for (int attempt = 1;; ++attempt) {
    Result<Json> removed = co_await shared->engine.call(Method::kDelete, target);
    // On its way out already (409) is as good as gone.
    if (removed || removed.error().code() == Code::kConflict) co_return Result<void>();
    // Podman stumbles over a container that ends just then.
    bool final = removed.error().code() == Code::kNotFound || attempt == kRemoveAttempts;
    if (final) co_return fail(removed.error());
    co_await async::sleep_for(20ms);
  }
}

Task<Result<void>> try_to_remove(std::shared_ptr<Shared> shared, SandboxId id) {
  Result<void> removed = co_await remove_one(shared, shared->name_of(id));
  if (!removed && removed.error().code() != Code::kNotFound) co_return removed;
  if (!removed) {
    ATOLL_CO_TRY(std::vector<std::string> others, co_await labelled(shared, id));
    for (std::string& other : others) {
      removed = co_await remove_one(shared, std::move(other));
      if (!removed && removed.error().code() != Code::kNotFound) co_return removed;
    }
  }
  shared->places.remove(id);
  co_return Result<void>();
}

// The group of this task is part of what it uses, so it holds that only while it works.
Task<void> pay(std::weak_ptr<Shared> weak) {
  for (auto pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    co_await async::sleep_for(pause);
    std::shared_ptr<Shared> shared = weak.lock();
    if (!shared) co_return;
    for (SandboxId& id : std::exchange(shared->owed, {})) {
      Result<void> removed = co_await try_to_remove(shared, id);
      if (!removed) shared->owed.push_back(std::move(id));
    }
    shared->pays = !shared->owed.empty();
    if (!shared->pays) co_return;
  }
}

}  // namespace

Task<Result<Json>> inspect(std::shared_ptr<Shared> shared, SandboxId id) {
  Result<Json> found =
      co_await shared->engine.call(Method::kGet, "/containers/" + shared->name_of(id) + "/json");
  if (found || found.error().code() != Code::kNotFound) co_return found;
  ATOLL_CO_TRY(std::vector<std::string> others, co_await labelled(shared, id));
  if (others.empty()) co_return found;
  co_return co_await shared->engine.call(Method::kGet, "/containers/" + others.front() + "/json");
}

Task<Result<void>> remove_container(std::shared_ptr<Shared> shared, SandboxId id) {
  Result<void> removed = co_await try_to_remove(shared, id);
  if (removed) co_return removed;
  shared->owed.push_back(std::move(id));
  if (!std::exchange(shared->pays, true)) shared->tasks.spawn(pay(shared));
  co_return removed;
}

}  // namespace atl::backends::docker
