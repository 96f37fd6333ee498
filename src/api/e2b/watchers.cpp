#include "api/e2b/watchers.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "async/deadline.hpp"

namespace atl::api::e2b {

namespace {

constexpr std::chrono::seconds kLook{1};  // whether the watcher is still wanted

}  // namespace

Result<std::string> Watchers::add(Watcher watcher, std::unique_ptr<Changes> changes) {
  std::erase_if(watchers_,
                [](const auto& one) { return one.second->failed && one.second->changes.empty(); });
  auto own = std::ranges::count_if(
      watchers_, [&](const auto& one) { return one.second->sandbox == watcher.sandbox; });
  if (static_cast<std::size_t>(own) >= kMostOfSandbox) {
    return fail(Code::kResourceExhausted, "the sandbox has " + std::to_string(kMostOfSandbox) +
                                              " watchers already: remove one");
  }
  std::string id = make_sortable_id();
  auto made = std::make_shared<Watcher>(std::move(watcher));
  watchers_[id] = made;
  tasks_.spawn(collect(made, std::move(changes)));
  return id;
}

// Ends with the watcher, or with the folder or the sandbox.
async::Task<void> Watchers::collect(std::weak_ptr<Watcher> watcher,
                                    std::unique_ptr<Changes> changes) {
  for (;;) {
    auto change = co_await async::with_deadline(changes->next(), async::deadline_in(kLook),
                                                Code::kTransferTimeout, "nothing changed");
    WatcherPtr wanted = watcher.lock();
    if (!wanted) co_return;
    if (!change && change.error().code() == Code::kTransferTimeout) continue;
    if (!change || !*change) {
      wanted->failed = change ? Error(Code::kNotFound, "the watch has ended") : change.error();
      co_return;
    }
    if (wanted->changes.size() < kMostChanges) wanted->changes.push_back(std::move(**change));
  }
}

Result<std::shared_ptr<Watchers::Watcher>> Watchers::find(const SessionId& sandbox,
                                                          const std::string& id) const {
  auto found = watchers_.find(id);
  if (found == watchers_.end() || found->second->sandbox != sandbox) {
    return fail(Code::kNotFound, "watcher with id " + id.substr(0, 64) + " not found");
  }
  return found->second;
}

Result<void> Watchers::remove(const SessionId& sandbox, const std::string& id) {
  ATOLL_CHECK(find(sandbox, id));
  watchers_.erase(id);
  return {};
}

}  // namespace atl::api::e2b
