#include "control/spool.hpp"

#include <algorithm>
#include <utility>

namespace atl::control {

using async::Task;

bool Spool::must_wait() const { return !readers_.empty() && live_bytes_ > kWindow; }

namespace {

bool is_stream(SpoolKind kind) { return kind == SpoolKind::kStdout || kind == SpoolKind::kStderr; }

}  // namespace

void Spool::set_keeper(std::function<void(SpoolKind, std::string_view)> keeper) {
  keeper_ = std::move(keeper);
  for (const SpoolEvent& event : kept_) {
    if (keeper_ && is_stream(event.kind)) keeper_(event.kind, event.data);
  }
}

void Spool::add(SpoolKind kind, std::string data, bool kept) {
  if (!kept) {
    truncated_ = true;
    if (readers_.empty()) return;
    live_bytes_ += data.size();
  } else if (keeper_ && is_stream(kind)) {
    keeper_(kind, data);
  }
  (kept ? kept_ : live_).push_back({next_number_++, kind, std::move(data)});
}

Task<void> Spool::put(SpoolKind kind, std::string data) {
  while (must_wait()) co_await changed_.wait();
  std::uint64_t& used = kind == SpoolKind::kStderr ? kept_stderr_
                        : is_stream(kind)          ? kept_stdout_
                                                   : kept_other_;
  std::uint64_t room = kept_limit_ - std::min(kept_limit_, used);
  if (data.size() <= room) {
    used += data.size();
    add(kind, std::move(data), true);
  } else if (is_stream(kind) && room > 0) {
    used += room;
    std::string rest = data.substr(room);
    data.resize(room);
    add(kind, std::move(data), true);
    add(kind, std::move(rest), false);
  } else {
    add(kind, std::move(data), false);
  }
  changed_.notify_all();
}

void Spool::end() {
  ended_ = true;
  changed_.notify_all();
}

model::Output Spool::output() const {
  model::Output output;
  // At once: growing by doubling would hold up to three times as much of a large output.
  output.stdout_bytes.reserve(kept_stdout_);
  output.stderr_bytes.reserve(kept_stderr_);
  output.merged.reserve(kept_stdout_ + kept_stderr_);
  for (const SpoolEvent& event : kept_) {
    bool is_stdout = event.kind == SpoolKind::kStdout;
    if (!is_stdout && event.kind != SpoolKind::kStderr) continue;
    (is_stdout ? output.stdout_bytes : output.stderr_bytes) += event.data;
    output.merged += event.data;
  }
  return output;
}

void Spool::trim() {
  std::uint64_t passed = next_number_;
  for (const Reader* reader : readers_) passed = std::min(passed, reader->after_);
  while (!live_.empty() && live_.front().number <= passed) {
    live_bytes_ -= live_.front().data.size();
    live_.pop_front();
  }
}

const SpoolEvent* Spool::first_behind(std::uint64_t number) const {
  auto behind = [number](const std::deque<SpoolEvent>& events) -> const SpoolEvent* {
    auto found = std::ranges::upper_bound(events, number, {}, &SpoolEvent::number);
    return found == events.end() ? nullptr : &*found;
  };
  const SpoolEvent* kept = behind(kept_);
  const SpoolEvent* live = behind(live_);
  if (kept == nullptr || live == nullptr) return kept != nullptr ? kept : live;
  return kept->number < live->number ? kept : live;
}

Spool::Reader::Reader(std::shared_ptr<Spool> spool, std::uint64_t after)
    : spool_(std::move(spool)), after_(after), at_(after) {
  spool_->readers_.push_back(this);
}

Spool::Reader::~Reader() {
  std::erase(spool_->readers_, this);
  spool_->trim();
  spool_->changed_.notify_all();
}

Task<const SpoolEvent*> Spool::Reader::next() {
  static const SpoolEvent kNoMore{};
  if (after_ != at_) {
    after_ = at_;
    spool_->trim();
    if (spool_->changed_.has_waiters()) spool_->changed_.notify_all();
  }
  for (;;) {
    if (const SpoolEvent* event = spool_->first_behind(after_)) {
      at_ = event->number;
      co_return event;
    }
    if (spool_->ended_) co_return &kNoMore;
    co_await spool_->changed_.wait();
  }
}

}  // namespace atl::control
