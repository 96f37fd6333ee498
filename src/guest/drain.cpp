#include "guest/drain.hpp"

#include <errno.h>

#include <algorithm>

namespace atl::guest {
namespace {
constexpr std::size_t kMaxDrains = 256;
char scratch_bytes[64 * 1024];
}  // namespace

std::span<char> scratch() { return scratch_bytes; }

void Drains::take(UniqueFd fd) {
  if (list_.size() >= kMaxDrains) drop(list_.front());
  Drain& drain = list_.emplace_back(*this, std::move(fd));
  // Level-triggered from here on: one read a round is fast enough for what is thrown away.
  if (!loop_.change(drain.fd.get(), EPOLLIN, drain)) drop(drain);
}

void Drains::drop(Drain& drain) {
  loop_.forget(drain);
  loop_.remove(drain.fd.get());
  list_.remove_if([&](const Drain& other) { return &other == &drain; });
}

void Drains::Drain::on_events(std::uint32_t) {
  ssize_t size = ::read(fd.get(), scratch_bytes, sizeof scratch_bytes);
  if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR))) return;
  drains.drop(*this);
}

}  // namespace atl::guest
