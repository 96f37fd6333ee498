#include "control/spool.hpp"

#include <algorithm>
#include <utility>

namespace atl::control {

using async::Task;

bool Spool::must_wait() const { return !readers_.empty() && live_bytes_ > kWindow; }

namespace {

constexpr std::uint64_t kPerEvent = 64;       // in memory, beside its data
constexpr std::uint64_t kLook = 16ull << 20;  // between looks at the room on the disk

bool is_stream(SpoolKind kind) { return kind == SpoolKind::kStdout || kind == SpoolKind::kStderr; }

}  // namespace

void Spool::write_through() {
  if (journal_ || !disk_.open) return;
  Journal journal = disk_.open();
  if (!journal) return;
  for (const SpoolEvent& event : kept_) {
    if (!journal.append(event.number, event.kind, event.data)) return;
  }
  journal_ = std::move(journal);
}

bool Spool::keep(SpoolEvent& event) {
  std::uint64_t size = event.data.size() + kPerEvent;
  bool fits = in_memory_ && held_bytes_ + size <= kHeld;
  if (!fits && disk_.open) {
    bool look = !journal_ || journal_.size() - looked_at_ >= kLook;
    if (look && !disk_.has_room()) return false;
    if (look) looked_at_ = journal_.size();
    write_through();
    if (!journal_) return false;
  }
  if (journal_ && !journal_.append(event.number, event.kind, event.data)) return false;
  if (!fits && journal_) {
    in_memory_ = false;
    kept_.clear();
    held_bytes_ = 0;
    return true;
  }
  held_bytes_ += size;
  kept_.push_back(std::move(event));
  return true;
}

void Spool::add(SpoolKind kind, std::string data, bool kept) {
  SpoolEvent event{next_number_++, kind, std::move(data)};
  if (kept && !full_) {
    if (keep(event)) return;
    full_ = true;
  }
  truncated_ = true;
  if (readers_.empty()) return;
  live_bytes_ += event.data.size();
  live_.push_back(std::move(event));
}

Task<void> Spool::put(SpoolKind kind, std::string data) {
  while (must_wait()) co_await changed_.wait();
  std::uint64_t& used = kind == SpoolKind::kStderr ? kept_stderr_
                        : is_stream(kind)          ? kept_stdout_
                                                   : kept_other_;
  std::uint64_t room = full_ ? 0 : kept_limit_ - std::min(kept_limit_, used);
  std::uint64_t size = data.size();
  if (size <= room) {
    add(kind, std::move(data), true);
    if (!full_) used += size;
  } else if (is_stream(kind) && room > 0) {
    std::string rest = data.substr(room);
    data.resize(room);
    add(kind, std::move(data), true);
    if (!full_) used += room;
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
  if (!in_memory_) {
    output.large = journal_.output(kept_stdout_, kept_stderr_);
    return output;
  }
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

// In memory it is copied: it goes when the kept part moves to the file.
const SpoolEvent* Spool::first_kept_behind(Reader& reader) const {
  if (reader.held_.number > reader.after_) return &reader.held_;
  if (in_memory_) {
    auto found = std::ranges::upper_bound(kept_, reader.after_, {}, &SpoolEvent::number);
    if (found == kept_.end()) return nullptr;
    reader.held_ = *found;
    return &reader.held_;
  }
  if (!reader.file_) reader.file_.emplace(journal_.descriptor());
  while (reader.file_->next(journal_.size(), reader.held_)) {
    if (reader.held_.number <= reader.after_) continue;
    reader.held_.data = reader.file_->data();
    return &reader.held_;
  }
  return nullptr;
}

const SpoolEvent* Spool::first_behind(Reader& reader) const {
  const SpoolEvent* kept = first_kept_behind(reader);
  auto found = std::ranges::upper_bound(live_, reader.after_, {}, &SpoolEvent::number);
  const SpoolEvent* live = found == live_.end() ? nullptr : &*found;
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
    if (const SpoolEvent* event = spool_->first_behind(*this)) {
      at_ = event->number;
      co_return event;
    }
    if (spool_->ended_) co_return &kNoMore;
    co_await spool_->changed_.wait();
  }
}

}  // namespace atl::control
