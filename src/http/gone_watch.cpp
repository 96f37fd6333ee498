#include "http/gone_watch.hpp"

#include <sys/epoll.h>

#include <array>
#include <utility>

namespace atl::http {

Result<std::shared_ptr<GoneWatch>> GoneWatch::make(async::Executor executor) {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return fail_errno("epoll_create1");
  return std::shared_ptr<GoneWatch>(
      new GoneWatch(async::Stream(std::move(executor), std::move(epoll), async::FdKind::kSocket)));
}

Task<void> GoneWatch::run(std::shared_ptr<GoneWatch> self) {
  std::array<epoll_event, 64> events;
  for (;;) {
    Result<void> ready = co_await self->epoll_.readable();
    if (!ready) co_return;
    // Entries cannot die before the loop below is through: nothing else runs meanwhile.
    int count = ::epoll_wait(self->epoll_.fd().get(), events.data(), events.size(), 0);
    for (int i = 0; i < count; ++i) {
      auto* entry = static_cast<Entry*>(events[static_cast<std::size_t>(i)].data.ptr);
      entry->gone = true;
      entry->changed.notify_all();
    }
  }
}

void GoneWatch::watch(const UniqueFd& fd, Entry& entry) {
  if (entry.watched) return;
  epoll_event event{.events = EPOLLRDHUP | EPOLLONESHOT, .data = {.ptr = &entry}};
  entry.watched = ::epoll_ctl(epoll_.fd().get(), EPOLL_CTL_ADD, fd.get(), &event) == 0;
}

void GoneWatch::unwatch(const UniqueFd& fd, Entry& entry) {
  if (!std::exchange(entry.watched, false)) return;
  ::epoll_ctl(epoll_.fd().get(), EPOLL_CTL_DEL, fd.get(), nullptr);
}

}  // namespace atl::http
